import { StepError } from 'stepwell'

export function validateInput({ input }) {
    if (input.treeType === 'plastic') throw new StepError('that is no tree', { behavior: 'stop' })
    return { valid: true }
}
