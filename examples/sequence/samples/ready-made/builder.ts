// Ready-made steps with the builder. Wants a server: `node examples/sequence/order-processing/server.mjs`.
import { z } from 'zod'
import { createWorkflow, httpStep, delayStep } from 'stepwell'

const workflow = createWorkflow('fetchAndWait')
    .input(z.object({ base: z.string().default('http://127.0.0.1:7171') }))

// Builder API
workflow.step(httpStep({ url: ({ input }) => `${input.base}/data`, method: 'GET' }))
workflow.step(delayStep({ seconds: 2 }))

workflow.register()
