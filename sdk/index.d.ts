/**
 * Types for Stepwell's TypeScript workflows: https://github.com/stepwell/stepwell
 *
 * A file that exports `steps` is a workflow. The module `stepwell` is part of the engine that runs it; this package
 * tells editors and `tsc` what is in it.
 */

/// <reference path="./globals.d.ts" />

import type { z } from "zod";

// What has no `export` of its own is not to be imported.
export {};

// What a step sees.

/** How a step stands. */
export type StepStatus = "pending" | "running" | "waiting_retry" | "completed" | "failed" | "skipped" | "cancelled";

/** What a step says of itself while it runs. It is kept with the step's record. */
export interface StepState {
  /** What the step did, for people. */
  description?: string;
  /** `true` marks the step as skipped; the workflow goes on. */
  skipped?: boolean;
  [key: string]: any;
}

/** A step as others see it. */
export interface SeenStep<Result = any> {
  /** What it returned; `undefined` until it has. */
  readonly result: Result;
  readonly state: Readonly<StepState>;
  readonly status: StepStatus;
}

/** The steps so far by their names, with results of any type. See {@link Results} for better. */
export type AnySteps = { readonly [stepName: string]: SeenStep };

/** The steps so far, with the results that are known to be. */
export type StepsOf<Types> = { readonly [Name in keyof Types]: SeenStep<Types[Name]> };

/** The step right before this one. */
export interface LastStep<Result = any> {
  /** `undefined` for the first step. */
  readonly result: Result;
  /** `{}` for the first step. */
  readonly state: Readonly<StepState>;
  /** `null` for the first step. */
  readonly stepName: string | null;
}

/** A text, or fields and a text: `log.info({ treeId }, "found a tree")`. */
export interface LogMethod {
  (message: string): void;
  (fields: object, message?: string): void;
}

/** Lines that are kept with the step and with the run. */
export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

/** What every function of a workflow is called with. */
export interface StepContext<Input = any, Steps = AnySteps, Last = any, Item = any> {
  /** The run's input, as its schema made it. */
  readonly input: Input;
  /** This step's own. */
  readonly state: StepState;
  readonly steps: Steps;
  readonly lastStep: LastStep<Last>;
  readonly log: Log;
  /** In a `forEach`: the item that this is done for. */
  readonly item: Item;
  /** In a `forEach`: the item's place, from 0. */
  readonly index: number;
  /** In a `loop`: which time this is, from 0. */
  readonly iteration: number;
  readonly runId: string;
  readonly workflowName: string;
  /** Which try of the step this is, from 1. */
  readonly attempt: number;
  /** The same for every attempt of this step of this run, and for no other: services tell repeated requests by it. */
  readonly idempotencyKey: string;
  /** For the header of the same name, so that a trace goes on in the services that are called. */
  readonly traceparent: string;
  /** Is aborted when the attempt's time is up, and when the run is cancelled. */
  readonly signal: AbortSignal;
}

// Steps.

/** A step is a function. Its name is the step's. */
export type StepFunction<Context = any, Result = any> = (context: Context) => Result;

export type Backoff = "linear" | "exponential";

/** How a step is tried. */
export interface StepOptions {
  /** Milliseconds that one attempt may take. */
  timeout?: number;
  /** What follows an attempt that took too long: by default the workflow stops. */
  onTimeout?: "stop" | "retry";
  /** How many attempts there may be in all. */
  maxAttempts?: number;
  /** How the time between attempts grows: by default one second, two, three. */
  backoff?: Backoff;
  /** Is called once, when the step has failed for good; the workflow's own handler is called after it. */
  onError?: ErrorHandler;
}

/** A step with options. */
export interface StepConfig<Context = any, Result = any> extends StepOptions {
  fn: StepFunction<Context, Result> | ReadyStep<Result> | NestedWorkflow<any, Result>;
  /** The step's name, if not the function's. */
  name?: string;
}

/** A list of steps, or a single one. */
export type StepList<Context = any> = readonly Step<Context>[] | Step<Context>;

/** What may stand in a list of steps. */
export type Step<Context = any, Result = any> =
  | StepFunction<Context, Result>
  | StepConfig<Context, Result>
  | ReadyStep<Result>
  | NestedWorkflow<any, Result>
  | Block;

/** What a file exports as `steps`: `export const steps = [...] satisfies Steps`. */
export type Steps = readonly Step[];

declare const kind: unique symbol;

/** A step that {@link httpStep} or {@link delayStep} made. */
export interface ReadyStep<Result = any> {
  readonly [kind]: "ready";
  readonly [result]?: Result;
}

declare const result: unique symbol;

/** A branch, a loop, a `parallel` or a `forEach`. */
export interface Block {
  readonly [kind]: "block";
}

/** A workflow that another one may have as a step. */
export interface NestedWorkflow<Input = any, Result = any> {
  readonly [kind]: "workflow";
  readonly [input]?: Input;
  readonly [result]?: Result;
}

declare const input: unique symbol;

// Errors.

/** What is to follow an error: the workflow stops (the default), goes on with the next step, or tries again. */
export type Behavior = "stop" | "continue" | "retry";

export interface StepErrorOptions {
  behavior?: Behavior;
  /** With `retry`: how many attempts there may be in all, at most those of the step's options. */
  maxAttempts?: number;
  /** With `retry`: how the time between attempts grows. */
  backoff?: Backoff;
  /** With `retry`: how much of that time is left to chance, as a share from 0 to 1. `true` is half of it. */
  jitter?: boolean | number;
  cause?: unknown;
}

/** An error that says what is to follow. Any other error stops the workflow. */
export class StepError extends Error {
  constructor(message: string, options?: StepErrorOptions);
  readonly behavior: Behavior;
  readonly maxAttempts?: number;
  readonly backoff?: Backoff;
  readonly jitter?: boolean | number;
}

/** What an error handler is called with. */
export interface ErrorContext<Input = any, Steps = AnySteps> {
  /** What was thrown, with its own properties. */
  readonly error: Error & { readonly attempt: number; readonly [key: string]: any };
  readonly failedStep: {
    readonly stepName: string;
    readonly status: StepStatus;
    readonly result: any;
    readonly state: Readonly<StepState>;
  };
  readonly workflowState: {
    readonly input: Input;
    readonly steps: Steps;
    /** `running` if the workflow goes on, after an error with `continue`. */
    readonly status: "running" | "failed";
    readonly runId: string;
    readonly workflowName: string;
  };
  readonly log: Log;
}

/** Hears of a step's final failure. What it throws is logged and changes nothing. */
export type ErrorHandler = (context: ErrorContext<any, any>) => unknown;

// Ready-made steps.

/** A value, or a function that makes it of the context. */
export type Made<T, Context = any> = T | ((context: Context) => T | Promise<T>);

export interface HttpStepOptions<Context = any> {
  /** The step's name. By default that of the variable that the step is in. */
  name?: string;
  url: Made<string | URL, Context>;
  /** By default `GET`. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  headers?: Made<Record<string, string>, Context>;
  /** A text as it is, anything else as JSON. */
  body?: Made<unknown, Context>;
  /** Milliseconds that one attempt may take. */
  timeout?: number;
  /** What is tried again, by default `["5xx", "connection"]`: statuses, classes of them, and connections that fail. */
  retryOn?: readonly (number | "3xx" | "4xx" | "5xx" | "connection")[];
  /** How many attempts there may be in all: by default 3. */
  maxAttempts?: number;
  /** How the time between attempts grows: by default `exponential`. */
  backoff?: Backoff;
}

/**
 * A request as a step: 2xx is success, and JSON is parsed; 4xx fails; 5xx and connections that fail are tried again.
 * `idempotency-key` and `traceparent` are sent along unless `headers` has its own.
 */
export function httpStep<Result = any>(options: HttpStepOptions<StepContext>): ReadyStep<Result>;

/** A length, which adds up: `{ hours: 1, minutes: 30 }`. */
export interface DelayStepOptions {
  /** The step's name. By default that of the variable that the step is in. */
  name?: string;
  milliseconds?: number;
  seconds?: number;
  minutes?: number;
  hours?: number;
  days?: number;
}

/** A durable timer: nothing is kept in memory meanwhile, and a restart loses nothing. */
export function delayStep(options: DelayStepOptions): ReadyStep<undefined>;

export interface WorkflowOptions {
  /** The step's name. By default that of the variable that the step is in, or the workflow's. */
  name?: string;
  onError?: ErrorHandler;
}

/**
 * Another workflow as one step: a file (`./payment.ts`), the name of a workflow that is registered, or what
 * `createWorkflow` made. Its last result is this step's.
 */
export function workflow<Result = any>(
  target: string | NestedWorkflow<any, Result>,
  options?: WorkflowOptions,
): NestedWorkflow<any, Result>;

// Blocks.

interface BlockOptions {
  /** The block's name. By default that of the variable that it is in. */
  name?: string;
}

export interface BranchOptions<Context = any> extends BlockOptions {
  if: (context: Context) => boolean | Promise<boolean>;
  then: StepList;
  else?: StepList;
}

/** One list of steps or the other. The result is that of the last step. */
export function branch(options: BranchOptions<StepContext>): Block;
export function branch(options: BranchOptions): Block;

export interface LoopOptions<Context = any> extends BlockOptions {
  body: StepList;
  /** Is asked after each iteration. */
  until: (context: Context) => boolean | Promise<boolean>;
  /** After so many iterations the loop fails. */
  maxIterations?: number;
}

/** A list of steps again and again. The result is that of the last step. */
export function loop(options: LoopOptions<StepContext>): Block;
export function loop(options: LoopOptions): Block;

export interface ParallelOptions extends BlockOptions {
  steps: StepList;
}

/** Steps side by side. The result has that of each by its name. */
export function parallel(options: ParallelOptions): Block;

export interface ForEachOptions<Item = any, Context = any> extends BlockOptions {
  items: (context: Context) => readonly Item[] | Promise<readonly Item[]>;
  steps: StepList<StepContext<any, any, any, Item>>;
  /** How many items at a time: by default 1, one after another. */
  concurrency?: number;
}

/** A list of steps for each item. The result is an array in the order of the items, whichever ends first. */
export function forEach<Item>(options: ForEachOptions<Item, StepContext>): Block;
export function forEach<Item>(options: ForEachOptions<Item>): Block;

// The builder.

/** A workflow as it is being built. Each method returns the workflow so far. */
export interface WorkflowBuilder<Input = any, Steps = any, Last = undefined> extends NestedWorkflow<Input, Last> {
  /** What runs must be given. */
  input<Schema extends z.ZodType>(schema: Schema): WorkflowBuilder<z.output<Schema>, Steps, Last>;
  description(text: string): WorkflowBuilder<Input, Steps, Last>;
  /** What steps return, so that `steps.<name>.result` has a type. */
  results<Types>(results: TypedResults<Types, any>): WorkflowBuilder<Input, StepsOf<Types>, Last>;
  step<Result>(
    step: StepFunction<StepContext<Input, Steps, Last>, Result> | StepConfig<StepContext<Input, Steps, Last>, Result>,
  ): WorkflowBuilder<Input, Steps, Awaited<Result>>;
  step<Result>(step: ReadyStep<Result> | NestedWorkflow<any, Result>): WorkflowBuilder<Input, Steps, Result>;
  step(step: Block): WorkflowBuilder<Input, Steps, any>;
  steps(steps: readonly Step<StepContext<Input, Steps>>[]): WorkflowBuilder<Input, Steps, any>;
  branch(options: BranchOptions<StepContext<Input, Steps, Last>>): WorkflowBuilder<Input, Steps, any>;
  loop(options: LoopOptions<StepContext<Input, Steps>>): WorkflowBuilder<Input, Steps, any>;
  parallel(options: ParallelOptions): WorkflowBuilder<Input, Steps, any>;
  forEach<Item>(options: ForEachOptions<Item, StepContext<Input, Steps, Last>>): WorkflowBuilder<Input, Steps, any>;
  workflow<Result>(target: string | NestedWorkflow<any, Result>): WorkflowBuilder<Input, Steps, Result>;
  onError(handler: (context: ErrorContext<Input, Steps>) => unknown): WorkflowBuilder<Input, Steps, Last>;
  /** Makes it a workflow of the file: it can be started by its name. */
  register(): WorkflowBuilder<Input, Steps, Last>;
}

export function createWorkflow(name: string): WorkflowBuilder;

// Types of results.

/** What {@link Results} makes. `Steps` is for types only. */
export interface TypedResults<Types, Schemas = {}> {
  /** `function chopTree({ steps }: { steps: typeof results.Steps })` */
  readonly Steps: StepsOf<Types>;
  readonly schemas: Schemas;
}

export interface ResultsOptions {
  /** A step whose result does not fit its schema fails. By default results are not looked at when the workflow runs. */
  validate?: boolean;
}

/**
 * The types of steps' results: from Zod schemas, or from types alone.
 *
 * ```ts
 * export const results = Results({ findTree: z.object({ treeId: z.string() }) });
 * export const results = Results<{ findTree: { treeId: string } }>();
 * ```
 */
export function Results<Schemas extends { readonly [stepName: string]: z.ZodType }>(
  schemas: Schemas,
  options?: ResultsOptions,
): TypedResults<{ [Name in keyof Schemas]: z.output<Schemas[Name]> }, Schemas>;
export function Results<Types extends object>(): TypedResults<Types>;
