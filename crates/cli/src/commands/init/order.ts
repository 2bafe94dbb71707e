// A workflow: the steps run in order, each once, and a crash loses nothing.

import { branch, StepError, workflow, type StepContext } from 'stepwell'
import { z } from 'zod'
import { reserve } from '../steps/stock'

export const description = 'Takes an order, has it paid and shipped'

export const input = z.object({
  item: z.string(),
  quantity: z.number().int().min(1).default(1),
})

type Order = z.infer<typeof input>

function price({ input, log }: StepContext<Order>) {
  const total = input.quantity * 25
  log.info({ total }, 'priced the order')
  return { total }
}

const payment = workflow('./payment.ts')

function ship({ steps, state }: StepContext<Order>) {
  state.description = `shipped ${steps.reserve.result.reserved} of ${steps.reserve.result.item}`
  return { tracking: `TRACK-${steps.payment.result.receipt}` }
}

function refuse({ input }: StepContext<Order>) {
  throw new StepError(`there are not enough of ${input.item}`, { behavior: 'stop' })
}

export function onError({ error, failedStep, log }: any) {
  log.error(`the order failed at ${failedStep.stepName}: ${error.message}`)
}

export const steps = [
  { fn: reserve, timeout: 30_000, onTimeout: 'retry', maxAttempts: 3 },
  price,
  branch({
    name: 'inStock',
    if: ({ steps }) => steps.reserve.result.reserved > 0,
    then: [payment, ship],
    else: [refuse],
  }),
]
