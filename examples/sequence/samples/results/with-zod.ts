// Types of results from Zod schemas.
import { z } from 'zod'
import { Results } from 'stepwell'

// Define result schemas with Zod
export const results = Results({
    findTree: z.object({ treeId: z.string(), species: z.string() }),
    chopTree: z.object({ pieces: z.number() })
})

function findTree({ input }): z.infer<typeof results.schemas.findTree> {
    return { treeId: input?.treeId ?? 'oak-123', species: 'oak' }
}

function chopTree({ steps }: { steps: typeof results.Steps }) {
    const treeId: string = steps.findTree.result.treeId   // ✓ fully typed, autocomplete works
    return { pieces: treeId.length }
}

export const steps = [findTree, chopTree]
