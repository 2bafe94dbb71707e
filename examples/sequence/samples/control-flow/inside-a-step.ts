// Branches and loops may as well be in a step: then they are one attempt, and begin anew with the next.

const batches = [{ isLast: false }, { isLast: false }, { isLast: true }]
let n = 0
const fetchBatch = () => batches[n++]!
const processBatch = (batch: { isLast: boolean }) => console.log('processed', batch)

function processAllBatches({ input }) {
    let done = false
    while (!done) {
        const batch = fetchBatch()
        processBatch(batch)
        done = batch.isLast
    }
    return { processed: true, input: input ?? null }
}

export const steps = [processAllBatches]
