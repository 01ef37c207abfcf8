/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/** After so many milliseconds a stream that was refused is asked for again. */
const RETRY_MS = 2000;

/**
 * @typedef {object} Listener
 * @property {() => void} onOpen (re)connected: what happened meanwhile may have been missed
 * @property {(event: LoggedEvent) => void} onEvent
 * @property {() => void} onChange
 * @property {() => void} onLost
 */

/**
 * Listens to the sandbox, and goes on doing so when it was away.
 *
 * @param {Listener} listener
 */
export function listen({ onOpen, onEvent, onChange, onLost }) {
  const source = new EventSource(new URL("../events/stream", import.meta.url));
  source.addEventListener("open", onOpen);
  source.addEventListener("message", ({ data }) => onEvent(JSON.parse(data)));
  source.addEventListener("change", onChange);
  source.addEventListener("error", () => {
    onLost();
    // A connection that was lost comes back by itself; one that was answered with an error doesn't.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => listen({ onOpen, onEvent, onChange, onLost }), RETRY_MS);
    }
  });
}

/**
 * Makes a task of which one run is under way at most, and another follows where it was asked for
 * meanwhile; runs are some time apart.
 *
 * @param {number} apartMs
 * @param {() => Promise<void>} task
 * @returns {() => void}
 */
export function coalesced(apartMs, task) {
  let isRunning = false;
  let isAsked = false;
  const runAll = async () => {
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      await task();
      await new Promise((resolve) => setTimeout(resolve, apartMs));
    }
    isRunning = false;
  };
  return () => {
    isAsked = true;
    if (!isRunning) runAll();
  };
}
