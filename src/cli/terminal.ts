import { once } from "node:events";
import { styleText } from "node:util";
import { counted, type TextStyle } from "../text.ts";

/** A stream that may be a terminal. */
interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Colours for a terminal. Other streams get none, nor does any stream if NO_COLOR is set.
 *
 * @see https://no-color.org
 */
export function styleFor(screen: Screen, env = process.env): TextStyle {
  const isColoured = screen.isTTY === true && !env.NO_COLOR;
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  return {
    good: paint("green"),
    bad: paint("red"),
    warn: paint("yellow"),
    dim: paint("dim"),
    bold: paint("bold"),
  };
}

/** A stream whose last line can be rewritten if it is a terminal. */
export interface ProgressScreen extends Screen {
  write(text: string): unknown;
}

/** Shows the progress of a long run in one line. */
export interface Progress {
  readonly show: (lines: number) => void;
  /** Erases the line. */
  readonly clear: () => void;
}

const UPDATE_EVERY_MS = 100;
const TO_LINE_START = "\r\x1b[K";

/** Shows progress on a terminal; does nothing on other streams. */
export function progressOn(
  screen: ProgressScreen | undefined,
  now = () => performance.now(),
): Progress {
  const startedAt = now();
  const line = rewrittenLine(screen, now);
  return {
    show: (lines) =>
      line.show((at) => {
        const perSecond = Math.round((lines / (at - startedAt)) * 1_000).toLocaleString("en-US");
        return `${counted(lines, "line")}, ${perSecond}/s`;
      }),
    clear: line.clear,
  };
}

/** A line of a terminal that is rewritten at most ten times a second. */
interface RewrittenLine {
  /** @param render Returns the text. Called only when the line is due for an update. */
  readonly show: (render: (atMs: number) => string) => void;
  /** Erases the line. */
  readonly clear: () => void;
}

/** A line on a terminal; does nothing on other streams. */
export function rewrittenLine(
  screen: ProgressScreen | undefined,
  now = () => performance.now(),
): RewrittenLine {
  if (!screen?.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = now();
  let isShown = false;
  return {
    show(render) {
      const at = now();
      // A short run shows nothing.
      if (at - shownAt < UPDATE_EVERY_MS) return;
      shownAt = at;
      isShown = true;
      screen.write(`${TO_LINE_START}${render(at)}`);
    },
    clear() {
      if (isShown) screen.write(TO_LINE_START);
      isShown = false;
    },
  };
}

/** Resolves when the program is interrupted: by Ctrl-C, SIGTERM or SIGHUP. */
export async function interrupted(): Promise<void> {
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
}
