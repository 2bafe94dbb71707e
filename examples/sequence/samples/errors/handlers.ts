// Handlers hear of a final failure: the step's own first, then the workflow's. Each is called once.

function sendToSlack(text: string) {
    console.warn('to Slack:', text)
}

function sendToPaymentTeam(text: string) {
    console.warn('to the payment team:', text)
}

function processPayment() {
    throw new Error('the card was refused')
}

// Error handler function
function notifyPaymentTeam({ error, failedStep, workflowState }) {
    // Step-specific notification
    sendToPaymentTeam(`Payment step failed: ${error.message} (${failedStep.status}, run ${workflowState.runId})`)
}

export const onError = ({ error, failedStep, workflowState }) => {
    // error: the exception/error that occurred
    // failedStep: { result, state, stepName, status }
    // workflowState: { input, steps, status, runId, workflowName }
    sendToSlack(`Workflow ${workflowState.workflowName} failed at ${failedStep.stepName}: ${error.message}`)
}

// Attach to step via config object
export const steps = [{ fn: processPayment, onError: notifyPaymentTeam }]
