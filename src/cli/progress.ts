import { counted } from "./printable.ts";

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
  if (!screen?.isTTY) return { show: () => {}, clear: () => {} };
  const startedAt = now();
  let shownAt = startedAt;
  let isShown = false;
  return {
    show(lines) {
      const at = now();
      // A run that is over at once shows nothing.
      if (at - shownAt < EVERY_MS) return;
      shownAt = at;
      isShown = true;
      const perSecond = Math.round((lines / (at - startedAt)) * 1_000).toLocaleString("en-US");
      screen.write(`${TO_LINE_START}${counted(lines, "line")}, ${perSecond}/s`);
    },
    clear() {
      if (isShown) screen.write(TO_LINE_START);
      isShown = false;
    },
  };
}
