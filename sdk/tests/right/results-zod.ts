// Seed: types of results from Zod schemas.
import { z } from "zod";
import { Results } from "stepwell";
import type { StepContext, Steps } from "stepwell";
import { same } from "./same";

export const results = Results({
  findTree: z.object({ treeId: z.string(), species: z.string() }),
  chopTree: z.object({ pieces: z.number(), at: z.coerce.date().optional() }),
}, { validate: true });

export const input = z.object({ treeType: z.string(), location: z.string().optional() });
type Context = StepContext<z.infer<typeof input>, typeof results.Steps>;

function findTree({ input }: Context): z.infer<typeof results.schemas.findTree> {
  const location: string | undefined = input./*completes treeType location*/location;
  return { treeId: `oak-${location}`, species: input.treeType };
}

function chopTree({ steps }: { steps: typeof results.Steps }) {
  const tree = steps./*completes findTree chopTree*/findTree;
  same<string>()(tree.result./*completes treeId species*/treeId);
  same<"pending" | "running" | "waiting_retry" | "completed" | "failed" | "skipped" | "cancelled">()(tree.status);
  const description: string | undefined = tree.state./*completes description skipped*/description;
  return { pieces: description?.length ?? 10 };
}

async function report({ steps, state, log }: Context) {
  same<Date | undefined>()(steps.chopTree.result.at);
  state.description = `${steps.chopTree.result.pieces} pieces`;
  log./*completes debug info warn error*/info({ pieces: steps.chopTree.result.pieces }, "chopped");
}

export const steps = [findTree, { fn: chopTree, timeout: 1000 }, report] satisfies Steps;
