// Steps that several workflows use. A file without `export const steps` is no workflow.

export function findTree({ input }) {
    return { treeId: 'oak-123', location: input.location }
}

export function chopTree({ steps }) {
    return { chopped: steps.findTree.result.treeId, pieces: 10 }
}
