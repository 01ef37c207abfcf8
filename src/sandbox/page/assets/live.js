/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/** Delay before reopening a refused stream, in milliseconds. */
const RETRY_MS = 2000;

/**
 * @typedef {object} Listener
 * @property {() => void} onOpen called on each (re)connection; events may have been missed
 * @property {(event: LoggedEvent) => void} onEvent
 * @property {() => void} onChange
 * @property {() => void} onLost
 */

/**
 * Subscribes to the sandbox's event stream and reconnects when it is lost.
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
    // EventSource reconnects after a lost connection, but not after an error status.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => listen({ onOpen, onEvent, onChange, onLost }), RETRY_MS);
    }
  });
}

/**
 * Wraps a task so that only one run is in progress at a time. A call during a run schedules one
 * more run. Runs are at least `apartMs` apart.
 *
 * @param {number} apartMs
 * @param {() => Promise<void>} task
 * @returns {() => void}
 */
export function coalesced(apartMs, task) {
  let isRunning = false;
  let isPending = false;
  const runAll = async () => {
    isRunning = true;
    while (isPending) {
      isPending = false;
      await task();
      await new Promise((resolve) => setTimeout(resolve, apartMs));
    }
    isRunning = false;
  };
  return () => {
    isPending = true;
    if (!isRunning) runAll();
  };
}
