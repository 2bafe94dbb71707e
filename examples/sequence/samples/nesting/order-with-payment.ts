// Other workflows as steps: a file, and one that the builder made.
import { createWorkflow, workflow } from 'stepwell'

function validateOrder() {
    return { orderId: 'order-1', total: 40 }
}

// Reference a file-based workflow
const paymentFlow = workflow('./payment.ts')

function sendEmail({ steps }) {
    return `mailed about ${steps.validateOrder.result.orderId}`
}

function sendSms({ lastStep }) {
    return `${lastStep.result}, and texted`
}

// Or use a builder-created workflow directly
const notificationFlow = createWorkflow('notify').step(sendEmail).step(sendSms)

function finalizeOrder({ steps }) {
    return { paid: steps.paymentFlow.result, notified: steps.notify.result }
}

// Include in steps array - treated as a single step
export const steps = [
    validateOrder,
    paymentFlow,        // Runs entire payment workflow
    notificationFlow,   // Runs entire notification workflow
    finalizeOrder
]
