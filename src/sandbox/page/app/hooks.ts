import { useEffect, useRef, useState } from "preact/hooks";

interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** Loads a value, and again when an input changes. Until then, the previous value stays. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  const started = useRef(0);
  const shown = useRef(0);
  useEffect(() => {
    started.current += 1;
    const turn = started.current;
    const show = (next: Loaded<T>) => {
      // Responses may arrive in another order.
      if (turn < shown.current) return;
      shown.current = turn;
      setLoaded((previous) => ({ ...previous, ...next }));
    };
    load().then(
      (value) => show({ value, error: undefined }),
      (error) => show({ error }),
    );
  }, inputs);
  return loaded;
}
