// An order: customer and stock are looked up; what is in stock is reserved, paid for, shipped and announced; what is not
// becomes a backorder.
import { branch, forEach, httpStep, parallel, workflow } from "stepwell";
import type { Steps } from "stepwell";
import { sendMail, sendText, updateCrm } from "./steps/notifications";
import { call, orderInput, orderResults, type OrderContext, type Stocked } from "./steps/shop";

export const description = "Takes an order from stock to shipment.";
export const input = orderInput;
export const results = orderResults;

type Line = { sku: string; quantity: number };

const loadCustomer = httpStep({ url: ({ input }) => `${input.base}/customers/${input.customerId}`, timeout: 5_000 });

async function lookUp(context: OrderContext<Line>): Promise<Stocked> {
  const { sku, quantity } = context.item;
  const { available, price } = await call<Stocked>(context, "GET", `/stock/${encodeURIComponent(sku)}`);
  return { sku, quantity, available, price };
}

const checkStock = forEach({ items: ({ input }): Line[] => input.lines, steps: [lookUp], concurrency: 4 });

function quote({ steps, state }: OrderContext) {
  const lines = steps.checkStock.result;
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const missing = lines.filter(({ quantity, available }) => quantity > available).map(({ sku }) => sku);
  state.description = missing.length === 0 ? `All in stock, ${total} in all` : `Not in stock: ${missing.join(", ")}`;
  return { total, missing };
}

async function reserve(context: OrderContext<Line>) {
  const { sku, quantity } = context.item;
  return await call<{ id: string }>(context, "POST", "/reservations", { sku, quantity });
}

const payment = workflow("./payment.ts");

async function ship(context: OrderContext) {
  const { id, carrier } = await call<{ id: string; carrier: string }>(context, "POST", "/shipments", { orderId: context.input.orderId });
  context.state.description = `Shipped by ${carrier}`;
  return { id, carrier };
}

async function backorder(context: OrderContext) {
  const { missing } = context.steps.quote.result;
  return await call<{ id: string }>(context, "POST", "/backorders", { orderId: context.input.orderId, missing });
}

function summary({ input, steps }: OrderContext) {
  const { total, missing } = steps.quote.result;
  if (missing.length > 0) return { orderId: input.orderId, status: "backordered", missing };
  return { orderId: input.orderId, status: "shipped", total, shipment: steps.ship.result.id };
}

export const steps = [
  loadCustomer,
  checkStock,
  quote,
  branch({
    name: "inStock",
    if: ({ steps }: OrderContext) => steps.quote.result.missing.length === 0,
    then: [
      forEach({ name: "reservations", items: ({ input }): Line[] => input.lines, steps: [reserve] }),
      payment,
      ship,
      parallel({ name: "notifications", steps: [sendMail, sendText, updateCrm] }),
    ],
    else: [backorder],
  }),
  summary,
] satisfies Steps;
