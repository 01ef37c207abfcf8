import { once } from "node:events";
import { styleText } from "node:util";
import type { TextStyle } from "../text.ts";

/** A stream that may be a terminal. */
export interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Decides whether a stream gets colours. NO_COLOR turns them off, FORCE_COLOR turns them on, except
 * with the value 0. Otherwise only a terminal gets them, unless TERM is `dumb`.
 *
 * @see https://no-color.org
 */
export function isColoured(screen: Screen, env = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return canRewrite(screen, env);
}

/** Whether a stream is a terminal that can erase a line. */
export function canRewrite({ isTTY = false }: Screen, env = process.env): boolean {
  return isTTY && env.TERM !== "dumb";
}

/**
 * The styles of all commands: green is a success, red an error, yellow a warning, and dim is
 * secondary. Without colours they change nothing.
 */
export function styleFor(screen: Screen, env = process.env): TextStyle {
  const hasColours = isColoured(screen, env);
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    hasColours ? styleText(format, text, { validateStream: false }) : text;
  return {
    good: paint("green"),
    bad: paint("red"),
    warn: paint("yellow"),
    dim: paint("dim"),
    bold: paint("bold"),
  };
}

/** Resolves when the program is interrupted: by Ctrl-C, SIGTERM or SIGHUP. */
export async function interrupted(): Promise<void> {
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
}
