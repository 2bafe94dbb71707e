// Ready-made steps in a file. Wants a server: `node examples/sequence/order-processing/server.mjs`.
import { z } from 'zod'
import { httpStep, delayStep } from 'stepwell'

export const input = z.object({ base: z.string().default('http://127.0.0.1:7171') })

function validateInput({ input }) {
    return { url: `${input.base}/data` }
}

const postData = httpStep({ url: ({ steps }) => steps.validateInput?.result.url, method: 'POST', body: { hello: 'world' } })

function processResponse({ steps }) {
    return steps.postData.result
}

export const steps = [
    validateInput,
    postData,
    delayStep({ seconds: 1 }),  // Wait a second
    processResponse
]
