// Steps from other files, a name of its own, and a nested workflow.
import { z } from 'zod'
import { workflow } from 'stepwell'

// Import reusable steps from other files
import { findTree, chopTree } from './steps/tree-steps'
import { validateInput } from './steps/validation'

// Optional configuration
export const input = z.object({ treeType: z.string() })
export const name = 'treeProcessing'  // Override inferred name

// Define steps inline
function processTree({ steps }) {
    return { processed: steps.chopTree.result.pieces }
}

// Nested workflow (becomes a step)
const paymentWorkflow = workflow('../nesting/payment.ts')

function finalize({ steps }) {
    return { completed: true, paid: steps.paymentWorkflow.result }
}

// Required: Steps array defines execution order
export const steps = [validateInput, findTree, chopTree, paymentWorkflow, processTree, finalize]
