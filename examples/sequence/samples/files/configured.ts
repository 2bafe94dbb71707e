// Functions and config objects side by side.
import { z } from 'zod'

export const input = z.object({ treeType: z.string() })

function findTree({ input }) {
    return { treeId: `${input.treeType}-123` }
}

function chopTree({ steps }) {
    return { chopped: steps.findTree.result.treeId }
}

function processTree({ steps }) {
    return { processed: steps.chopTree.result.chopped }
}

function notifyTeam({ error, log }) {
    log.error(`to the team: ${error.message}`)
}

// Mix simple functions and config objects
export const steps = [
    findTree,  // Simple function
    { fn: chopTree, timeout: 60000, onTimeout: 'retry', maxAttempts: 3 },  // With timeout
    { fn: processTree, onError: notifyTeam }  // With error handler
]
