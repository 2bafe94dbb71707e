// The same steps, in another workflow.
import { z } from 'zod'
import { findTree, chopTree } from './steps/tree-steps'
import { validateInput } from './steps/validation'

export const input = z.object({ treeType: z.string() })

// Add workflow-specific steps
function processTree({ steps }) {
    return { processed: steps.chopTree.result.pieces === 10 }
}

// Steps array defines execution order
export const steps = [validateInput, findTree, chopTree, processTree]
