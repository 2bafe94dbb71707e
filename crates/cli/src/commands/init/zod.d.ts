// The part of Zod's types that most workflows use, so that editors know them with nothing installed. The engine brings
// the whole of Zod 4; `npm install zod` brings the whole of its types, which then stand before these.

export interface ZodType<Output = any, Input = Output> {
  readonly _output: Output
  readonly _input: Input
  parse(value: unknown): Output
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: Error & { issues: { path: (string | number)[]; message: string }[] } }
  optional(): ZodType<Output | undefined, Input | undefined>
  nullable(): ZodType<Output | null, Input | null>
  nullish(): ZodType<Output | null | undefined, Input | null | undefined>
  default(value: Output): ZodType<Exclude<Output, undefined>, Input | undefined>
  describe(text: string): this
  refine(check: (value: Output) => unknown, message?: string | object): this
  transform<Made>(make: (value: Output) => Made): ZodType<Awaited<Made>, Input>
  or<Other extends ZodType>(other: Other): ZodType<Output | Other['_output'], Input | Other['_input']>
  and<Other extends ZodType>(other: Other): ZodType<Output & Other['_output'], Input & Other['_input']>
}

interface ZodString extends ZodType<string> {
  min(n: number, message?: string): this
  max(n: number, message?: string): this
  length(n: number, message?: string): this
  regex(pattern: RegExp, message?: string): this
  email(message?: string): this
  url(message?: string): this
  uuid(message?: string): this
  trim(): this
  toLowerCase(): this
  toUpperCase(): this
}

interface ZodNumber extends ZodType<number> {
  min(n: number, message?: string): this
  max(n: number, message?: string): this
  int(message?: string): this
  positive(message?: string): this
  nonnegative(message?: string): this
  multipleOf(n: number, message?: string): this
}

interface ZodArray<Item extends ZodType> extends ZodType<Item['_output'][], Item['_input'][]> {
  min(n: number, message?: string): this
  max(n: number, message?: string): this
  nonempty(message?: string): this
}

type Shape = { readonly [key: string]: ZodType }
type OptionalKeys<T> = { [Key in keyof T]: undefined extends T[Key] ? Key : never }[keyof T]
type Flat<T> = { [Key in Exclude<keyof T, OptionalKeys<T>>]: T[Key] } & { [Key in OptionalKeys<T>]?: T[Key] }
type Outputs<S extends Shape> = Flat<{ -readonly [Key in keyof S]: S[Key]['_output'] }>
type Inputs<S extends Shape> = Flat<{ -readonly [Key in keyof S]: S[Key]['_input'] }>

interface ZodObject<S extends Shape> extends ZodType<Outputs<S>, Inputs<S>> {
  readonly shape: S
  extend<More extends Shape>(more: More): ZodObject<Omit<S, keyof More> & More>
  partial(): ZodType<Partial<Outputs<S>>, Partial<Inputs<S>>>
  pick<Key extends keyof S>(keys: { [K in Key]: true }): ZodObject<Pick<S, Key>>
  omit<Key extends keyof S>(keys: { [K in Key]: true }): ZodObject<Omit<S, Key>>
  strict(): this
  passthrough(): this
}

export namespace z {
  export type infer<T extends ZodType> = T['_output']
  export type output<T extends ZodType> = T['_output']
  export type input<T extends ZodType> = T['_input']
  export type ZodType<Output = any, Input = Output> = import('./zod').ZodType<Output, Input>
  export function string(message?: string): ZodString
  export function number(message?: string): ZodNumber
  export function boolean(): ZodType<boolean>
  export function date(): ZodType<Date>
  export function any(): ZodType<any>
  export function unknown(): ZodType<unknown>
  export function literal<const T extends string | number | boolean | null>(value: T): ZodType<T>
  function _enum<const T extends readonly string[]>(values: T): ZodType<T[number]>
  function _null(): ZodType<null>
  export { _enum as enum, _null as null }
  export function object<S extends Shape>(shape: S): ZodObject<S>
  export function array<T extends ZodType>(item: T): ZodArray<T>
  export function record<K extends ZodType, V extends ZodType>(key: K, value: V): ZodType<Record<K['_output'], V['_output']>>
  export function tuple<const T extends readonly ZodType[]>(items: T): ZodType<{ -readonly [Key in keyof T]: T[Key]['_output'] }>
  export function union<const T extends readonly ZodType[]>(options: T): ZodType<T[number]['_output']>
  export function discriminatedUnion<const T extends readonly ZodType[]>(key: string, options: T): ZodType<T[number]['_output']>
  export const coerce: { string(): ZodString; number(): ZodNumber; boolean(): ZodType<boolean>; date(): ZodType<Date> }
}

export default z
