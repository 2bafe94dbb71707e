// How long one attempt may take, and what follows if it takes longer.

async function findTree({ signal }) {
    // Aborted when the time is up, and when the run is cancelled
    signal.throwIfAborted()
    return { treeId: 'oak-123' }
}

async function chopTree({ attempt, steps }) {
    // The first attempt hangs
    if (attempt === 1) await new Promise((done) => setTimeout(done, 60_000))
    return { chopped: steps.findTree.result.treeId, attempt }
}

export const steps = [
    { fn: findTree, timeout: 30000 },  // 30 seconds
    { fn: chopTree, timeout: 200, onTimeout: 'retry', maxAttempts: 3, backoff: 'exponential' },
]
