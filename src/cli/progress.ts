import { counted } from "../text.ts";

/** A terminal that a line can be rewritten on. */
export interface ProgressScreen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows how far a long run has come, in one line that is rewritten. */
export interface Progress {
  readonly show: (lines: number) => void;
  /** Takes the line away, so that the report begins where it stood. */
  readonly clear: () => void;
}

const EVERY_MS = 100;
const TO_LINE_START = "\r\x1b[K";

/** Progress on a terminal, and none on anything else. */
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

/** A line of a terminal that is rewritten, ten times a second at most. */
export interface RewrittenLine {
  /** @param render Gives the text, and is called only where it is time to show it. */
  readonly show: (render: (atMs: number) => string) => void;
  /** Takes the line away. */
  readonly clear: () => void;
}

/** A line on a terminal, and none on anything else. */
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
      // A run that is over at once shows nothing.
      if (at - shownAt < EVERY_MS) return;
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
