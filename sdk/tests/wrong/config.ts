// Options that are none.
import { delayStep, httpStep, StepError, workflow } from "stepwell";
import type { StepContext, Steps } from "stepwell";

function chopTree({ log, state, attempt }: StepContext) {
  log.info(); // error TS2554: Expected 1-2 arguments, but got 0
  log.info(1); // error TS2769: No overload matches this call
  log.fatal("x"); // error TS2339: Property 'fatal' does not exist
  state.skipped = "yes"; // error TS2322: Type '"yes"' is not assignable to type 'boolean | undefined'
  attempt += 1; // the parameter is a variable of its own
  throw new StepError("x", { behavior: "ignore" }); // error TS2322: Type '"ignore"' is not assignable
}
export function errors() {
  new StepError(); // error TS2554: Expected 1-2 arguments, but got 0
  new StepError("x", { maxAttempts: "3" }); // error TS2322: Type 'string' is not assignable to type 'number'
  new StepError("x", { backof: "linear" }); // error TS2561: 'backof' does not exist
  new StepError("x", { backoff: "quadratic" }); // error TS2322: Type '"quadratic"' is not assignable
}

export const steps = [
  { fn: chopTree, timeout: "60s" }, // error TS2322: Type 'string' is not assignable to type 'number'
  { fn: chopTree, onTimeout: "continue" }, // error TS2322: Type '"continue"' is not assignable
  { fn: chopTree, onError: "notify" }, // error TS2322: Type 'string' is not assignable to type 'ErrorHandler'
  { timeout: 10 }, // error TS2322: 
  "chopTree", // error TS2322: Type 'string' is not assignable to type 'Step
  null, // error TS2322: Type 'null' is not assignable to type 'Step
  chopTree(null!), // error TS2322: Type 'void' is not assignable to type 'Step
] satisfies Steps;

httpStep({ method: "GET" }); // error TS2345: Property 'url' is missing
httpStep({ url: "https://example.com", method: "FETCH" }); // error TS2322: Type '"FETCH"' is not assignable
httpStep({ url: 7 }); // error TS2322: Type 'number' is not assignable
httpStep({ url: "https://example.com", retryOn: ["timeout"] }); // error TS2322: Type '"timeout"' is not assignable
workflow("./a.ts", { retries: 3 }); // error TS2353: 'retries' does not exist
delayStep({ weeks: 2 }); // error TS2353: 'weeks' does not exist
delayStep({ seconds: "20" }); // error TS2322: Type 'string' is not assignable to type 'number'
workflow(); // error TS2554: Expected 1-2 arguments, but got 0
