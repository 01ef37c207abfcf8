/** Text that is HTML already: `html` makes it, and `trusted` of what the page itself is made of. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: text is escaped, HTML is not; false and undefined are nothing. */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

/** Makes HTML of a template. What is filled in is escaped, for text and for quoted attributes. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const filled = template.map((text, at) => `${text}${textOf(pieces[at])}`);
  return new Html(filled.join(""));
}

/** HTML that this folder has written itself, such as its style and its script. */
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

// Controls other than line feed and tab, marks that turn the direction of writing, what shows
// nothing, and halves of characters.
const INVISIBLE =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text from outside: marks that can't be seen or that steer what is around them are escapes. */
function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
