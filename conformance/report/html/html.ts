/** Escaped HTML. Created by `html`, or by `trusted` from the page's own assets. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template value: text is escaped, HTML is not; false and undefined render nothing. */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

/** Renders a template. Values are escaped for text and for quoted attributes. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const filled = template.map((text, at) => `${text}${textOf(pieces[at])}`);
  return new Html(filled.join(""));
}

/** Marks the page's own HTML, such as its style and script, as safe. Never pass other text. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "number") return String(piece);
  return typeof piece === "string" ? escaped(piece) : piece.map(textOf).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escaped(text: string): string {
  return visible(text).replace(/[&<>"'`]/g, (mark) => ESCAPES[mark] ?? "");
}

// Control characters other than line feed and tab, bidirectional controls, zero-width characters
// and lone surrogates.
const INVISIBLE =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Escapes invisible characters and those that change the direction of text. */
function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
