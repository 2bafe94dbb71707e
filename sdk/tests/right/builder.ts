// The builder knows the input and the result of the step before.
import { z } from "zod";
import { createWorkflow, delayStep, httpStep, Results, workflow } from "stepwell";
import type { ErrorContext, StepContext } from "stepwell";
import { same } from "./same";

function findTree({ input }: StepContext<{ treeType: string }>) {
  return { treeId: `${input.treeType}-123` };
}
function untyped(context: StepContext) {
  return context.lastStep.result;
}
function customErrorHandler({ error }: ErrorContext) {
  console.error(error.message);
}
const results = Results<{ findTree: { treeId: string } }>();

export default createWorkflow("treeProcessing")
  .description("Finds a tree and chops it.")
  .input(z.object({ treeType: z.string(), location: z.string().default("here") }))
  .results(results)
  .step(findTree)
  .step(({ lastStep, input, steps }) => {
    same<string>()(lastStep.result.treeId);
    same<string>()(input.location);
    same<string>()(steps.findTree.result./*completes treeId*/treeId);
    return Promise.resolve({ pieces: 10 });
  })
  .step({ fn: async ({ lastStep }) => lastStep.result.pieces, timeout: 30000, onTimeout: "retry", maxAttempts: 3, backoff: "exponential" })
  .step({
    fn: function last({ lastStep }) {
      same<number>()(lastStep.result);
    },
    onError: customErrorHandler,
  })
  .steps([findTree, untyped, { fn: untyped, onError: customErrorHandler }])
  .step(httpStep<{ ok: boolean }>({ url: "https://api.example.com", method: "GET" }))
  .step(function afterHttp({ lastStep }) {
    same<boolean>()(lastStep.result.ok);
  })
  .step(delayStep({ seconds: 20 }))
  .step(workflow<{ paid: boolean }>("./payment.ts"))
  .step(({ lastStep }) => same<boolean>()(lastStep.result.paid))
  .step(createWorkflow("inner").step(() => 7))
  .step(({ lastStep }) => same<number>()(lastStep.result))
  .branch({ name: "isOak", if: ({ input }) => input.treeType === "oak", then: [untyped], else: [findTree, untyped] })
  .loop({ name: "again", body: [untyped], until: ({ steps }) => steps.findTree.result.treeId === "x", maxIterations: 10 })
  .parallel({ name: "both", steps: [untyped, findTree] })
  .forEach({
    name: "pieces",
    items: ({ steps }) => [...steps.findTree.result.treeId],
    steps: [({ item, index }) => `${item.toUpperCase()}${index + 1}`],
    concurrency: 4,
  })
  .workflow("./payment.ts")
  .onError(({ workflowState }) => same<string>()(workflowState.input.location))
  .register();
