// A complete example of the builder.
import { createWorkflow } from 'stepwell'
import { z } from 'zod'

function findTree({ input }) {
    return { treeId: `${input.treeType}-123`, location: input.location }
}

function chopTree({ steps, state }) {
    state.description = `Chopped ${steps.findTree.result.treeId}`
    return { pieces: 10 }
}

function processTree({ lastStep }) {
    return { product: 'lumber', pieces: lastStep.result.pieces }
}

function customErrorHandler({ error, failedStep, log }) {
    log.error({ step: failedStep.stepName }, error.message)
}

createWorkflow('treeProcessingBuilt')
    .input(z.object({
        treeType: z.string(),
        location: z.string()
    }))
    .steps([
        { fn: findTree, timeout: 30000, onTimeout: 'retry', maxAttempts: 3 },
        { fn: chopTree },
        { fn: processTree, onError: customErrorHandler }
    ])
    .register()
