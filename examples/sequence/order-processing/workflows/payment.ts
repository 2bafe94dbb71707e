// Payment, nested in the order: it sees the order's input and steps.
import { call, type OrderContext } from "./steps/shop";
import { Results, type ErrorContext } from "stepwell";

const own = Results<{ authorize: { id: string; amount: number }; capture: { id: string } }>();
type Context = OrderContext & { steps: typeof own.Steps };

async function authorize(context: Context) {
  const { input, steps, state } = context;
  const { total } = steps.quote.result;
  const payment = await call<{ id: string; amount: number }>(context, "POST", "/payments", {
    orderId: input.orderId,
    card: input.card,
    amount: total,
  });
  state.description = `Authorized ${total}`;
  return payment;
}

async function capture(context: Context) {
  const paymentId = context.steps.authorize.result.id;
  const { id } = await call<{ id: string }>(context, "POST", "/captures", { paymentId });
  return { paymentId, captureId: id };
}

export const onError = ({ error, failedStep, log }: ErrorContext) => {
  log.warn({ step: failedStep.stepName, attempts: error.attempt }, `no payment: ${error.message}`);
};

export const steps = [{ fn: authorize, timeout: 10_000, onTimeout: "retry", maxAttempts: 3 }, capture];
