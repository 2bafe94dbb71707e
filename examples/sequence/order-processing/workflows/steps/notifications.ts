// Three ways to tell the customer, and one to tell ourselves.
import { StepError } from "stepwell";
import { call, type OrderContext } from "./shop";

export async function sendMail(context: OrderContext) {
  const { mail, name } = context.steps.loadCustomer.result;
  context.state.description = `Mailed ${name}`;
  return await call<{ id: string }>(context, "POST", "/mails", { to: mail });
}

export async function sendText(context: OrderContext) {
  const { phone } = context.steps.loadCustomer.result;
  if (phone === null) {
    context.state.skipped = true;
    context.state.description = "Skipped: there is no phone number";
    return null;
  }
  return await call<{ id: string }>(context, "POST", "/texts", { to: phone });
}

// Nice to have: the order does not fail with it.
export async function updateCrm(context: OrderContext) {
  try {
    return await call(context, "POST", "/crm", { orderId: context.input.orderId });
  } catch (cause) {
    throw new StepError("the CRM does not know of this order", { behavior: "continue", cause });
  }
}
