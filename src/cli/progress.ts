import { harmlessLine, shortened } from "../text.ts";
import { canRewrite, type Screen } from "./terminal.ts";

/** A stream whose last line can be rewritten if it is a terminal. */
export interface ProgressScreen extends Screen {
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows the progress of a long command in one line of a terminal. */
export interface Progress {
  /**
   * Sets the text, and shows it at most ten times a second.
   *
   * @param render Returns the text, given the elapsed time. Called again as the time advances.
   */
  readonly show: (render: (elapsedMs: number) => string) => void;
  /** Names the current step, with its time after a second. Shows it immediately: it may block. */
  readonly step: (name: string) => void;
  /** Erases the line until the next text, for other output. */
  readonly clear: () => void;
  /** Writes a line above the progress. Also on a stream that is not a terminal. */
  readonly log: (line: string) => void;
  /** Erases the line for good. */
  readonly end: () => void;
}

/** How often the text changes. A command that ends before shows only its steps. */
const INTERVAL_MS = 100;
/** The width of a terminal that does not report one. */
const WIDTH = 80;
const TO_LINE_START = "\r\x1b[K";

/**
 * Shows progress on a terminal, usually of the standard error. Other streams get only the lines of
 * `log`, and so does a dumb terminal.
 *
 * @param screen Undefined to show nothing.
 */
export function progressOn(
  screen: ProgressScreen | undefined,
  now = () => performance.now(),
  env = process.env,
): Progress {
  const log = (line: string) => void screen?.write(`${harmlessLine(line)}\n`);
  if (!screen || !canRewrite(screen, env)) {
    return { show() {}, step() {}, clear() {}, log, end() {} };
  }
  const startedAt = now();
  let shownAt = startedAt;
  let isShown = false;
  let render: ((elapsedMs: number) => string) | undefined;
  const draw = () => {
    if (!render) return;
    shownAt = now();
    isShown = true;
    const text = harmlessLine(render(shownAt - startedAt));
    screen.write(TO_LINE_START + shortened(text, (screen.columns || WIDTH) - 1));
  };
  const update = () => {
    if (now() - shownAt >= INTERVAL_MS) draw();
  };
  const erase = () => {
    if (isShown) screen.write(TO_LINE_START);
    isShown = false;
  };
  const clear = () => {
    render = undefined;
    erase();
  };
  const timer = setInterval(update, INTERVAL_MS).unref();
  return {
    show(next) {
      render = next;
      update();
    },
    step(name) {
      render = (elapsedMs) => (elapsedMs < 1_000 ? name : `${name}, ${secondsOf(elapsedMs)}`);
      draw();
    },
    clear,
    log(line) {
      erase();
      log(line);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Formats an elapsed time: "1.2 s". */
export function secondsOf(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`;
}
