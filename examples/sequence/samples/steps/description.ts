// A step says what it did, for people: shown by the console and `stepwell run show`.

function findTree() {
    return { treeId: 'oak-123' }
}

function chopTree({ steps, state }) {
    const tree = steps.findTree.result
    const pieces = 10

    // Set human-readable description
    state.description = `Chopped tree ${tree.treeId} into ${pieces} pieces`

    return { chopped: true, pieces }
}

export const steps = [findTree, chopTree]
