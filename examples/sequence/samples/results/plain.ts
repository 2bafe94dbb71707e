// Types of results without Zod.
import { Results } from 'stepwell'

export const results = Results<{
    findTree: { treeId: string; species: string }
    chopTree: { pieces: number }
}>()

function findTree() {
    return { treeId: 'oak-123', species: 'oak' }
}

function chopTree({ steps }: { steps: typeof results.Steps }) {
    const treeId: string = steps.findTree.result.treeId   // ✓ fully typed
    return { pieces: treeId.length }
}

export const steps = [findTree, chopTree]
