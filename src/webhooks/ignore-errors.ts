/**
 * Makes a function that resolves whatever comes of it: a hook is called by the way, and its fault
 * is none of the delivery's.
 */
export function ignoreErrors<Args extends unknown[]>(
  call: ((...args: Args) => unknown) | undefined,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await call?.(...args);
    } catch {
      // Nothing is logged unless asked, and here is nobody left to ask.
    }
  };
}
