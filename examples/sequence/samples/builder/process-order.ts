// What a run must be given. A run with another input is refused, with every path that is wrong.
import { createWorkflow } from 'stepwell'
import { z } from 'zod'

function validateOrder({ input }) {
    return { total: input.quantity * 5 }
}

function processPayment({ steps, input }) {
    return { paid: steps.validateOrder.result.total, priority: input.priority ?? 'none' }
}

createWorkflow('processOrder')
    .input(z.object({
        orderId: z.string().uuid(),
        quantity: z.number().min(1),
        priority: z.enum(['low', 'medium', 'high']).optional()
    }))
    .step(validateOrder)
    .step(processPayment)
    .register()
