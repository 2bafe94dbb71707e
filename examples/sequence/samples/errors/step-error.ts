// A step says what is to follow its error. Any other error stops the workflow.
import { z } from 'zod'
import { StepError } from 'stepwell'

export const input = z.object({ trouble: z.enum(['none', 'timeout', 'nonsense']) })

function query({ trouble, attempt }) {
    if (trouble === 'timeout' && attempt < 3) throw Object.assign(new Error('no answer'), { code: 'TIMEOUT' })
    if (trouble === 'nonsense') throw new Error('not a tree')
    return { treeId: 'oak-123', attempt }
}

function findTree({ input, attempt }) {
    try {
        return query({ trouble: input.trouble, attempt })
    } catch (e) {
        if (e.code === 'TIMEOUT') {
            // Retry this error
            throw new StepError('Database timeout', {
                behavior: 'retry',
                maxAttempts: 3,
                backoff: 'exponential'
            })
        }
        // Stop workflow on this error
        throw new StepError('Invalid data', { behavior: 'stop', cause: e })
    }
}

function countRings() {
    // Log this error and go on
    throw new StepError('too dark to count', { behavior: 'continue' })
}

function report({ steps }) {
    return { tree: steps.findTree.result, rings: steps.countRings.status }
}

export const steps = [findTree, countRings, report]
