// A workflow of its own, and a step of others: it sees the steps of the workflow that it is nested in.

function authorize({ steps }) {
    return { amount: steps.validateOrder?.result.total ?? 0 }
}

function capture({ steps, state }) {
    const { amount } = steps.authorize.result
    state.description = `Captured ${amount}`
    return { captured: amount }
}

// The last result is that of the nested workflow
export const steps = [authorize, capture]
