/** `same<A>()(b)` compiles only if b is an A, no more and no less, and not `any`. */
export function same<Expected>() {
  return <Actual>(
    _: [Expected] extends [Actual] ? ([Actual] extends [Expected] ? (0 extends 1 & Actual ? never : Actual) : never) : never,
  ): void => {};
}
