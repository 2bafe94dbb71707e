// Everything that a context has, without any types of the author's.
import type { ErrorContext, SeenStep, StepContext, Steps } from "stepwell";
import { same } from "./same";

function everything(context: StepContext) {
  const { input, state, steps, lastStep, log, item, index, iteration, runId, workflowName, attempt, idempotencyKey, traceparent, signal } = context;
  state.description = "did it";
  state.skipped = true;
  state["anything"] = { else: 1 };
  same<SeenStep>()(steps["findTree"]!);
  const treeId: string = steps.findTree?.result.treeId;
  const count: number = steps.findTree?.state.count;
  same<string | null>()(lastStep.stepName);
  const previous: { any: string } = lastStep.result;
  log.debug("text");
  log.warn({ fields: true }, "text");
  log.error({ fields: true });
  same<number>()(index);
  same<number>()(iteration);
  same<string>()(runId);
  same<string>()(workflowName);
  same<number>()(attempt);
  same<string>()(idempotencyKey);
  same<string>()(traceparent);
  same<boolean>()(signal.aborted);
  signal.throwIfAborted();
  return { input, treeId, count, previous, item };
}

// As in the seed: a destructured context, the rest of it, a function that takes none, an async one.
function some({ lastStep, steps, ...rest }: StepContext) {
  return [lastStep.result, steps, rest.input];
}
const none = () => 1;
async function later({ input }: StepContext<{ id: number }>) {
  await new Promise((done) => setTimeout(done, 10));
  same<number>()(input.id);
  return { id: input.id };
}

export const name = "everything";
export const description = "All of a context.";
export const onError = ({ error, failedStep, workflowState, log }: ErrorContext) => {
  same<string>()(error.message);
  same<string>()(failedStep.stepName);
  same<string>()(workflowState.runId);
  same<number>()(error.attempt);
  log.error(`${workflowState.workflowName} failed at ${failedStep.stepName}: ${error.message}`);
};
export const steps: Steps = [everything, some, none, later];
