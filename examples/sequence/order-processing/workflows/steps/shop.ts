// What the workflows know of the shop: its input, the results of its steps, and how its services are called.
import { z } from "zod";
import { Results, StepError } from "stepwell";
import type { StepContext } from "stepwell";

export const orderInput = z.object({
  orderId: z.string().min(1),
  customerId: z.string(),
  card: z.string(),
  lines: z.array(z.object({ sku: z.string(), quantity: z.number().int().min(1) })).min(1),
  /** Where the services are. */
  base: z.url().default("http://127.0.0.1:7171"),
});

const stocked = z.object({ sku: z.string(), quantity: z.number(), available: z.number(), price: z.number() });
export type Stocked = z.infer<typeof stocked>;

export const orderResults = Results(
  {
    loadCustomer: z.object({ id: z.string(), name: z.string(), mail: z.string(), phone: z.string().nullable() }),
    checkStock: z.array(stocked),
    quote: z.object({ total: z.number(), missing: z.array(z.string()) }),
    payment: z.object({ paymentId: z.string(), captureId: z.string() }),
    ship: z.object({ id: z.string(), carrier: z.string() }),
    backorder: z.object({ id: z.string() }),
  },
  { validate: true },
);

export type OrderContext<Item = unknown> = StepContext<z.infer<typeof orderInput>, typeof orderResults.Steps, any, Item>;

type Calling = Pick<StepContext<{ base: string }>, "input" | "signal" | "idempotencyKey" | "traceparent">;

/** Calls a service: what may pass is tried again, what may not stops the workflow. */
export async function call<Answer>(context: Calling, method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
  const { input, signal, idempotencyKey, traceparent } = context;
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey, traceparent };
  let response: Response;
  try {
    response = await fetch(`${input.base}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new StepError(`${method} ${path}: no answer`, { behavior: "retry", maxAttempts: 5, backoff: "exponential", jitter: true, cause });
  }
  const answer = await response.json();
  if (response.ok) return answer;
  const message = `${method} ${path}: ${answer.error ?? response.statusText}`;
  if (response.status >= 500) throw new StepError(message, { behavior: "retry", maxAttempts: 3, backoff: "exponential" });
  throw new StepError(message);
}
