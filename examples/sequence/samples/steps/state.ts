// Results and states of other steps, by name or as `lastStep`.

function findTree({ state }) {
    state.count = 3
    return { treeId: 'oak-123' }
}

// Shorthand: Access previous step result (use for simple linear flows)
function chopTree({ lastStep }) {
    const tree = lastStep.result
    // chop the tree
    return { chopped: tree.treeId }
}

// Access specific step by name (preferred)
function processTree({ steps }) {
    const tree = steps.findTree.result
    const chopped = steps.chopTree.result
    // process both
    return { processed: [tree.treeId, chopped.chopped] }
}

// Access step state
function analyze({ steps }) {
    const count = steps.findTree.state.count
    return { count }
}

// Combine explicit and shorthand
function complexStep({ lastStep, steps }) {
    const previous = lastStep.result
    const specific = steps.findTree.result
    return { previous, specific }
}

export const steps = [findTree, chopTree, processTree, analyze, complexStep]
