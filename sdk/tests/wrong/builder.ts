// The builder is told what it cannot be.
import { z } from "zod";
import { createWorkflow } from "stepwell";
import type { StepContext } from "stepwell";

function wantsNumber({ input }: StepContext<{ id: number }>) {
  return input.id;
}

createWorkflow(); // error TS2554: Expected 1 arguments, but got 0
createWorkflow("a").input({ id: "string" }); // error TS2353: Object literal may only specify known properties
createWorkflow("a").input(z.object({ id: z.string() })).step(wantsNumber); // error TS2769: No overload matches this call
createWorkflow("a").input(z.object({ id: z.string() })).step(({ input }) => input.name); // error TS2339: Property 'name' does not exist
createWorkflow("a").step(() => 7).step(({ lastStep }) => lastStep.result.trim()); // error TS2339: Property 'trim' does not exist
createWorkflow("a").steps([() => 1, "two"]); // error TS2322: Type 'string' is not assignable to type 'Step
createWorkflow("a").branch({ name: "b", then: [] }); // error TS2345: Property 'if' is missing
createWorkflow("a").register("b"); // error TS2554: Expected 0 arguments, but got 1
createWorkflow("a").start({}); // error TS2339: Property 'start' does not exist
