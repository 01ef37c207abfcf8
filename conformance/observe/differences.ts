import { describeValue } from "../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { projectedMessages } from "./feed.ts";
import { idIn, linkAt, pathOf } from "./links.ts";

/** A difference between two bodies. */
export interface Difference {
  /** A JSON pointer, valid in both bodies. */
  readonly path: string;
  readonly one: string;
  readonly other: string;
}

/** Values by JSON pointer. */
export type Fields = ReadonlyMap<string, unknown>;

/** Compares the fields that both bodies have. A missing field is not a difference. */
export function differencesOf(one: Fields, other: Fields): Difference[] {
  return [...one].flatMap(([path, value]) => {
    const second = other.get(path);
    if (value === undefined || second === undefined) return [];
    if (canonical(value) === canonical(second)) return [];
    return [{ path, one: describeValue(value, path), other: describeValue(second, path) }];
  });
}

/** The values of the named members. */
export function fieldsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(names.map((name) => [`/${name}`, memberOf(body, name)]));
}

/** The paths of the named links, without queries. */
export function linkTargetsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(
    names.map((name) => {
      const href = linkAt(body, ["_links", name]);
      return [`/_links/${name}/href`, href && pathOf(href)];
    }),
  );
}

/** The named members of each embedded message of a transaction. */
export function projectedFieldsOf(transaction: unknown, names: readonly string[]): Fields {
  return new Map(
    (projectedMessages(transaction) ?? []).flatMap((message) => {
      const id = memberOf(message, "id");
      // Keyed by id, because the order of messages is not specified.
      return [...fieldsOf(message, names)].map(
        ([path, value]) => [`/_embedded/messages/(${id})${path}`, value] as const,
      );
    }),
  );
}

/** The ids of the messages that a transaction links to. */
export function linkedMessages(transaction: unknown): readonly string[] | undefined {
  const links = valueAt(transaction, ["_links", "messages"]);
  if (!Array.isArray(links)) return undefined;
  return links.flatMap((link) => {
    const href = memberOf(link, "href");
    return typeof href === "string" ? idIn(href) : [];
  });
}

/** Recursion limit. Bodies of the interface have less than half this depth. */
const DEEPEST = 16;

/** Serializes a value independently of the order of members and items. */
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
