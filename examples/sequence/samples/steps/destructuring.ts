// Functions can destructure the context to take only what they need.

// Destructure specific properties
function findTree({ lastStep, steps }) {
    // For the first step: undefined, {} and null
    console.log('finding tree', lastStep.stepName, Object.keys(steps))
    return { treeId: 'oak-123' }
}

// Or use spread syntax to get everything
function measureTree(context) {
    const { lastStep, steps, ...rest } = context
    // Access any context properties
    return { tree: lastStep.result.treeId, same: steps.findTree.result.treeId, workflow: rest.workflowName }
}

export const steps = [findTree, measureTree]
