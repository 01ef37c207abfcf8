import { styleText } from "node:util";
import type { TextStyle } from "../text.ts";

/** A stream that text is shown on. */
interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Colours for a terminal, and none for anything else or where NO_COLOR is set.
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
