// A workflow of its own, which the order nests: it sees the order's steps, and its last result is what the order sees.

import { delayStep, type StepContext } from 'stepwell'

function charge({ steps, idempotencyKey }: StepContext) {
  return { cents: (steps.price?.result?.total ?? 0) * 100, key: idempotencyKey }
}

const settle = delayStep({ seconds: 1 })

function receipt({ steps, runId }: StepContext) {
  return { cents: steps.charge.result.cents, receipt: runId.slice(0, 8) }
}

export const steps = [charge, settle, receipt]
