// Ready-made steps with the builder. Wants a server: `node ../order-processing/server.mjs`.
import { createWorkflow, httpStep, delayStep } from 'stepwell'

const workflow = createWorkflow('fetchAndWait')

// Builder API
workflow.step(httpStep({ url: 'http://127.0.0.1:7171/data', method: 'GET' }))
workflow.step(delayStep({ seconds: 2 }))

workflow.register()
