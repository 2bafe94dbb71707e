// A list of steps, again and again.
import { createWorkflow } from 'stepwell'

const fetchBatch = () => ({ items: [1, 2, 3], next: 1 })
const processBatch = ({ iteration }) => ({ batch: iteration })
const fetchNextBatch = ({ iteration }) => ({ done: iteration === 2, batches: iteration + 1 })

createWorkflow('looping')
    .step(fetchBatch)
    .loop({
        name: 'processBatches',
        body: [processBatch, fetchNextBatch],
        until: ({ steps }) => steps.fetchNextBatch.result.done
    })
    .register()
