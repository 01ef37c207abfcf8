import { expect, test } from "vitest";
import { type Document, type Media, readDocument, type Schema } from "../document.ts";

const document = readDocument();
const { schemas } = document.components;
const gotten = Object.entries(document.paths).flatMap(([path, { get }]) => (get ? [path] : []));

const LINK = "#/components/schemas/Link";
const isLink = ({ $ref, items }: Schema) => $ref === LINK || items?.$ref === LINK;

/** A link: its position, its target in the contract, and its href. */
interface FoundLink {
  at: string;
  target: string | undefined;
  href: string;
}

/** Collects every link of a value, guided by its schema. */
function linksIn(schema: Schema, value: unknown, at: string, target?: string): FoundLink[] {
  if (value === undefined || value === null) return [];
  if (schema.$ref === LINK) return [{ at, target, href: (value as { href: string }).href }];
  if (schema.$ref) return linksIn(named(schema.$ref), value, at);
  if (Array.isArray(value)) {
    const own = schema["x-leads-to"] as string | undefined;
    return value.flatMap((one, i) => linksIn(schema.items ?? {}, one, `${at}/${i}`, own));
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one) => linksIn(one, value, at));
  const members = value as Record<string, unknown>;
  const { propertyName = "", mapping = {} } = (schema["discriminator"] ?? {}) as Discriminator;
  const variant = mapping[String(members[propertyName])];
  if (variant) return linksIn(named(variant), value, at);
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    linksIn(one, members[name], `${at}/${name}`, one["x-leads-to"] as string | undefined),
  );
}

interface Discriminator {
  propertyName: string;
  mapping: Record<string, string>;
}

const named = ($ref: string) => schemas[$ref.replace(/.*\//, "")] ?? {};

/** Whether an href matches the path template of an operation. */
function fits(href: string, template: string): boolean {
  const [path = ""] = href.split("?");
  const form = template.replaceAll(/\{\w+\}/g, "[^/{}]+");
  return new RegExp(`^${form}$`).test(path);
}

function linksOf({ paths, webhooks }: Document): FoundLink[] {
  const inCases = (at: string, { schema, examples = {} }: Media) =>
    Object.entries(examples).flatMap(([name, { value }]) =>
      linksIn(schema, value, `${at} ${name}`),
    );
  return Object.entries({ ...paths, ...webhooks }).flatMap(([name, item]) =>
    Object.values(item).flatMap(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((holder) =>
        Object.values(holder?.content ?? {}).flatMap((media) => inCases(name, media)),
      ),
    ),
  );
}

const links = linksOf(document);

test("every link has a target, except page links and links without a GET", () => {
  const silent: string[] = [];
  const visit = (schema: Schema, at: string): void => {
    for (const [name, one] of Object.entries(schema.properties ?? {})) {
      if (isLink(one) && one["x-leads-to"] === undefined) silent.push(`${at}.${name}`);
      visit(one, `${at}.${name}`);
    }
    if (schema.items) visit(schema.items, at);
  };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  expect(silent.sort()).toEqual([
    ...["CursorLinks.next", "CursorLinks.self"],
    ...["EitherStyleLinks.first", "EitherStyleLinks.last", "EitherStyleLinks.next"],
    ...["EitherStyleLinks.prev", "EitherStyleLinks.self"],
    ...["OffsetLinks.first", "OffsetLinks.last", "OffsetLinks.next"],
    ...["OffsetLinks.prev", "OffsetLinks.self", "SelfLinks.self"],
  ]);
  const plain = Object.keys(schemas).filter((name) =>
    JSON.stringify(schemas[name]).includes('"#/components/schemas/SelfLinks"'),
  );
  expect(plain).toEqual(["BankLink"]);
});

test("only links have a target, and each target has a GET", () => {
  const targets = new Set<string>();
  JSON.stringify(document, (_key, value) => {
    const target = value?.["x-leads-to"];
    if (target === undefined) return value;
    expect(value).toSatisfy(isLink);
    targets.add(target);
    return value;
  });
  expect([...targets].filter((target) => !gotten.includes(target))).toEqual([]);
  // Every GET of a single resource is the target of some link.
  expect([...targets].sort()).toEqual(gotten.filter((path) => path.includes("{")).sort());
});

test("every link of an example matches its target in the contract", () => {
  const known = links.filter(({ target }) => target !== undefined);
  expect(known.filter(({ href, target = "" }) => !fits(href, target))).toEqual([]);
  const followed = new Set(known.map(({ target }) => target));
  expect([...followed].sort()).toEqual(gotten.filter((path) => path.includes("{")).sort());
});

test("a link of an example without a target matches no single resource", () => {
  const unknown = links.filter(({ target }) => target === undefined);
  expect(unknown.length).toBeGreaterThan(20);
  const single = gotten.filter((path) => path.includes("{"));
  expect(unknown.filter(({ href }) => single.some((path) => fits(href, path)))).toEqual([]);
});
