/** Returns the median; for an even number of values, the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error("median needs at least one value");
  return (low + high) / 2;
}

/** Accumulates the results of batches, so that the compiler cannot remove their work. */
let sink = 0;

/** Runs a batch and returns its duration in milliseconds. */
export function timeMs(batch: () => number): number {
  const start = performance.now();
  const result = batch();
  const durationMs = performance.now() - start;
  sink += result;
  if (!Number.isFinite(sink)) throw new Error("a batch must return a number");
  return durationMs;
}

/** Rotates the values, so that no measurement always follows the same other one. */
export function rotate<T>(values: readonly T[], by: number): T[] {
  const start = by % Math.max(values.length, 1);
  return [...values.slice(start), ...values.slice(0, start)];
}

/** Returns a function that returns the next batch of texts and starts again after the last. */
export function createBatches(texts: readonly string[], size: number): () => readonly string[] {
  let start = 0;
  return () => {
    if (start + size > texts.length) start = 0;
    start += size;
    return texts.slice(start - size, start);
  };
}
