// A complete example of a file.
import { z } from 'zod'
import { workflow } from 'stepwell'
import { findTree } from './steps/tree-steps'

// Configuration
export const input = z.object({
    treeType: z.string(),
    location: z.string()
})
export const description = 'Finds a tree, chops it, pays for it and makes something of it.'

function chopTree({ steps, state }) {
    state.description = `Chopped ${steps.findTree.result.treeId}`
    return { chopped: true }
}

// Nested workflow
const paymentWorkflow = workflow('../nesting/payment.ts')

function processTree({ steps }) {
    return { processed: true, at: steps.findTree.result.location }
}

// Steps array defines execution order
export const steps = [findTree, chopTree, paymentWorkflow, processTree]
