// Schemas that are also checked when the workflow runs: a step with a wrong result fails.
import { z } from 'zod'
import { Results } from 'stepwell'

export const input = z.object({ treeId: z.any() })

export const results = Results({ findTree: z.object({ treeId: z.string() }) }, { validate: true })

function findTree({ input }) {
    return { treeId: input.treeId }
}

export const steps = [findTree]
