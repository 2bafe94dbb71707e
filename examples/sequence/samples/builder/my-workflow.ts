// The fluent builder: the same workflow as one in a file.
import { createWorkflow } from 'stepwell'
import { z } from 'zod'

function findTree({ input }) {
    return { treeId: `${input.treeType}-123`, location: input.location ?? 'somewhere' }
}

function chopTree({ lastStep }) {
    return { chopped: lastStep.result.treeId }
}

createWorkflow('myWorkflow')
    .input(z.object({
        treeType: z.string(),
        location: z.string().optional()
    }))
    .step(findTree)
    .step(chopTree)
    .register()
