// One list of steps or the other.
import { createWorkflow } from 'stepwell'
import { z } from 'zod'

const validateOrder = ({ input }) => ({ isValid: input.total > 0 })
const processPayment = ({ input }) => ({ paid: input.total })
const shipOrder = ({ lastStep }) => ({ shipped: true, paid: lastStep.result.paid })
const notifyCustomer = () => ({ notified: true })
const cancelOrder = () => ({ cancelled: true })

createWorkflow('branching')
    .input(z.object({ total: z.number() }))
    .step(validateOrder)
    .branch({
        name: 'checkValid',
        if: ({ steps }) => steps.validateOrder.result.isValid,
        then: [processPayment, shipOrder],
        else: [notifyCustomer, cancelOrder]
    })
    .register()
