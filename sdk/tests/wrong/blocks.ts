// Blocks that lack something, or have too much.
import { branch, forEach, loop, parallel } from "stepwell";
import type { StepContext } from "stepwell";

const one = () => 1;
const wantsText = ({ item }: StepContext<any, any, any, string>) => item.length;

branch({ if: () => true }); // error TS2769: Property 'then' is missing
branch({ name: "b", if: "yes", then: [one] }); // error TS2769: Type 'string' is not assignable
branch({ name: "b", if: () => true, then: "one" }); // error TS2769: Type 'string' is not assignable
loop({ name: "l", body: [one] }); // error TS2769: Property 'until' is missing
loop({ name: "l", body: [one], until: () => "done" }); // error TS2769: Type 'string' is not assignable
parallel({ name: "p", steps: [one, 2] }); // error TS2322: Type 'number' is not assignable to type 'Step
parallel({ name: 7, steps: [one] }); // error TS2322: Type 'number' is not assignable to type 'string'
forEach({ name: "f", items: () => 3, steps: [one] }); // error TS2769: Type 'number' is not assignable
forEach({ name: "f", items: () => [1, 2], steps: [wantsText] }); // error TS2769: No overload matches this call
forEach({ name: "f", items: () => [1, 2], steps: [one], parallel: 4 }); // error TS2769: 'parallel' does not exist
