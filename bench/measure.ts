/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error("there is no median of nothing");
  return (low + high) / 2;
}

/** What batches add their results to, so that no compiler may leave their work out. */
let sink = 0;

/** Runs a batch, and tells how many milliseconds it took. */
export function timeMs(batch: () => number): number {
  const start = performance.now();
  const result = batch();
  const durationMs = performance.now() - start;
  sink += result;
  if (!Number.isFinite(sink)) throw new Error("a batch has to return a number");
  return durationMs;
}

/** The same values, beginning with another one each time: nobody always runs behind the same. */
export function rotate<T>(values: readonly T[], by: number): T[] {
  const start = by % Math.max(values.length, 1);
  return [...values.slice(start), ...values.slice(0, start)];
}

/** Walks around texts that are all different, a batch at a time. */
export function createBatches(texts: readonly string[], size: number): () => readonly string[] {
  let start = 0;
  return () => {
    if (start + size > texts.length) start = 0;
    start += size;
    return texts.slice(start - size, start);
  };
}
