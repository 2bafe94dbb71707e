// A step that has nothing to do marks itself as skipped; the workflow goes on.
import { z } from 'zod'

export const input = z.object({ priority: z.enum(['low', 'medium', 'high']) })

function sendUrgentAlert({ input, state }) {
    if (input.priority !== 'high') {
        state.skipped = true
        state.description = 'Skipped: priority is not high'
        return null
    }

    // ... send alert
    return { sent: true }
}

function done({ steps }) {
    return steps.sendUrgentAlert.status
}

export const steps = [sendUrgentAlert, done]
