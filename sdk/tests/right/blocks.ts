// Blocks nest in any combination, and take every kind of step.
import { branch, delayStep, forEach, httpStep, loop, parallel, StepError, workflow } from "stepwell";
import type { StepContext, Steps } from "stepwell";
import { same } from "./same";

interface Line { sku: string; quantity: number }

function validateOrder() {
  return { isValid: true, lines: [{ sku: "a", quantity: 1 }] as Line[] };
}
function reserve({ item, index, signal }: StepContext<any, any, any, Line>) {
  same<string>()(item.sku);
  signal.throwIfAborted();
  if (item.quantity > 9) throw new StepError("too many", { behavior: "continue" });
  return index;
}
function fetchPage({ iteration }: { iteration: number }) {
  if (iteration > 100) throw new StepError("slow down", { behavior: "retry", maxAttempts: 5, backoff: "exponential", jitter: true });
  return { done: iteration === 3 };
}
const pay = workflow<{ paid: boolean }>("./payment");

export const steps = [
  validateOrder,
  branch({
    name: "checkValid",
    if: ({ steps }) => steps.validateOrder?.result.isValid,
    then: [
      pay,
      parallel({
        name: "notifications",
        steps: [
          httpStep({ name: "email", url: ({ steps }) => `https://mail.example.com/${steps.pay?.result.id}`, method: "POST", body: { hello: 1 } }),
          httpStep({ name: "crm", url: new URL("https://crm.example.com"), headers: { accept: "text/plain" }, retryOn: [429, "5xx", "connection"], timeout: 5000 }),
          delayStep({ name: "breathe", minutes: 1, seconds: 1.5 }),
          { fn: workflow("audit", { name: "audit" }), onError: ({ error, log }) => log.warn(error.message) },
        ],
      }),
      forEach({ name: "reserveAll", items: ({ steps }): Line[] => steps.validateOrder?.result.lines, steps: [reserve], concurrency: 2 }),
      forEach({ name: "each", items: async () => [1, 2], steps: { fn: ({ item }) => item + 1, maxAttempts: 2 } }),
    ],
    else: [loop({ name: "pages", body: [fetchPage, delayStep({ seconds: 1 })], until: ({ lastStep }) => lastStep.result.done, maxIterations: 50 })],
  }),
] satisfies Steps;
