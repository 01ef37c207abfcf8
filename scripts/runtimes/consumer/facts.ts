/** What a consumer of the package found to hold, in the order in which it looked. */
export const facts: string[] = [];

/** Throws where something does not hold. */
export function hold(fact: string, holds: boolean): void {
  if (!holds) throw new Error(`it does not hold that ${fact}`);
  facts.push(fact);
}

/** What a call rejects with; undefined where it does not. */
export function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
