// A step is a function. It gets the context as its first argument, and its name is the step's.

const tree = { treeId: 'oak-123' }

function findTree(context) {
    // Access context properties
    console.log('finding tree', context.runId)
    return tree
}

export const steps = [findTree]
