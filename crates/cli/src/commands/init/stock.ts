// A step that several workflows can import.

import { StepError, type StepContext } from 'stepwell'

const shelf: Record<string, number> = { oak: 12, birch: 3 }

export function reserve({ input, attempt, state }: StepContext) {
  if (!(input.item in shelf)) throw new StepError(`nobody knows ${input.item}`)
  const reserved = shelf[input.item] >= input.quantity ? input.quantity : 0
  state.description = `reserved ${reserved} of ${input.item} (attempt ${attempt})`
  return { item: input.item, reserved }
}
