import { describeValue } from "../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { idIn, linkAt, pathOf } from "./link.ts";

/** A place at which two bodies do not say the same. */
export interface Difference {
  /** In either of them, as a JSON pointer. */
  readonly path: string;
  readonly one: string;
  readonly other: string;
}

/** What is said of a thing, by the pointer at which it stands. */
export type Fields = ReadonlyMap<string, unknown>;

/** Where two say something of the same and it is not the same; what one leaves out says nothing. */
export function differencesOf(one: Fields, other: Fields): Difference[] {
  return [...one].flatMap(([path, value]) => {
    const second = other.get(path);
    if (value === undefined || second === undefined) return [];
    if (canonical(value) === canonical(second)) return [];
    return [{ path, one: describeValue(value, path), other: describeValue(second, path) }];
  });
}

/** What a body says by some of its members. */
export function fieldsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(names.map((name) => [`/${name}`, memberOf(body, name)]));
}

/** What a body says by some of its links: where they lead, whatever their query. */
export function linkTargetsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(
    names.map((name) => {
      const href = linkAt(body, ["_links", name]);
      return [`/_links/${name}/href`, href && pathOf(href)];
    }),
  );
}

/** What each message of a transaction's projection says. */
export function projectedFieldsOf(transaction: unknown, names: readonly string[]): Fields {
  const messages = valueAt(transaction, ["_embedded", "messages"]);
  const list = Array.isArray(messages) ? messages : [];
  return new Map(
    list.flatMap((message) => {
      const id = memberOf(message, "id");
      // By its id, as the order of messages is not shown.
      return [...fieldsOf(message, names)].map(
        ([path, value]) => [`/_embedded/messages/(${id})${path}`, value] as const,
      );
    }),
  );
}

/** The messages that a transaction links to. */
export function linkedMessages(transaction: unknown): readonly string[] | undefined {
  const links = valueAt(transaction, ["_links", "messages"]);
  if (!Array.isArray(links)) return undefined;
  return links.flatMap((link) => {
    const href = memberOf(link, "href");
    return typeof href === "string" ? idIn(href) : [];
  });
}

/** No body of the interface goes half as deep. */
const DEEPEST = 16;

/** The same text for the same content: the order of members, and of items, says nothing. */
function canonical(value: unknown, depth = DEEPEST): string {
  if (typeof value !== "object" || value === null || depth === 0) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((one) => canonical(one, depth - 1)).sort()}]`;
  }
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${canonical(one, depth - 1)}`,
  );
  return `{${members.sort()}}`;
}
