// Results that are not what was promised.
import { z } from "zod";
import { Results } from "stepwell";

export const results = Results({ findTree: z.object({ treeId: z.string() }), count: z.number() });

export function findTree(): z.infer<typeof results.schemas.findTree> {
  return { treeId: 123 }; // error TS2322: Type 'number' is not assignable to type 'string'
}
export function chopTree({ steps }: { steps: typeof results.Steps }) {
  steps.findTre.result; // error TS2551: Property 'findTre' does not exist
  steps.findTree.result.species; // error TS2339: Property 'species' does not exist
  const pieces: string = steps.count.result; // error TS2322: Type 'number' is not assignable to type 'string'
  steps.findTree.result = { treeId: "x" }; // error TS2540: Cannot assign to 'result' because it is a read-only property
  if (steps.findTree.status === "done") return pieces; // error TS2367: This comparison appears to be unintentional
  return results.schemas.chopTree; // error TS2339: Property 'chopTree' does not exist
}

const plain = Results<{ findTree: { treeId: string } }>();
export const treeId: number = plain.Steps.findTree.result.treeId; // error TS2322: Type 'string' is not assignable to type 'number'
export const schemas = Results({ findTree: "a string" }); // error TS2322: Type 'string' is not assignable to type 'ZodType
