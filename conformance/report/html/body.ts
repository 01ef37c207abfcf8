import { segmentsOf } from "../../../src/contract/pointer.ts";
import { counted } from "../../../src/text.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { type Html, html } from "./html.ts";
import { around, type JsonLine, linesOfValue } from "./json-lines.ts";
import { grouped } from "./labels.ts";
import { type ReportPage, receivedText } from "./page.ts";

/** Maximum number of lines around a marked member, and of a whole body. */
const MAX_LINES_AROUND = 24;
const MAX_LINES = 150;
const MAX_TEXT = 4_000;

/** Longer bodies are parsed only to mark a member; otherwise their beginning is shown as text. */
const LARGE = 200_000;

/**
 * Renders a received body, pretty-printed if it is JSON, and limited in size.
 *
 * @param pointer The member to mark; only its surroundings are shown.
 */
export function receivedBody(
  page: ReportPage,
  entry: Exchange | Delivery,
  pointer?: string,
): Html | undefined {
  const text = receivedText(entry);
  if (text === "") return undefined;
  const isPlace = pointer?.startsWith("/");
  const json = isPlace || text.length < LARGE ? page.bodyOf(entry) : undefined;
  if (json === undefined) return sentBody(text);
  return listing(
    isPlace
      ? around(json, segmentsOf(pointer ?? ""), MAX_LINES_AROUND)
      : linesOfValue(json, MAX_LINES),
  );
}

/** Renders the beginning of a text. */
export function sentBody(text: string): Html {
  const lines: JsonLine[] = [{ text: text.slice(0, MAX_TEXT) }];
  const more = text.length - MAX_TEXT;
  if (more > 0) lines.push({ text: `… ${grouped(more)} more characters`, kind: "left-out" });
  return listing(lines);
}

function listing(lines: readonly JsonLine[]): Html {
  const entry = lines.map(({ text, kind }, at) => {
    const end = at < lines.length - 1 ? "\n" : "";
    if (kind === "marked") {
      const start = text.length - text.trimStart().length;
      return html`${text.slice(0, start)}<mark>${text.slice(start)}</mark>${end}`;
    }
    return kind === "left-out" ? html`<i>${text}</i>${end}` : html`${text}${end}`;
  });
  // Scrollable content must be focusable to be scrolled by keyboard.
  return html`<pre tabindex="0" role="group" aria-label="Body, ${counted(lines.length, "line")}"
>${entry}</pre>`;
}
