/** The assertions of a consumer that passed. */
export const facts: string[] = [];

/** Records a fact, or throws if it is false. */
export function check(fact: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(`assertion failed: ${fact}`);
  facts.push(fact);
}

/** Returns the error that a call rejects with, if any. */
export function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
