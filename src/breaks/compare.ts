import { AUDIENCES, type Breakage, type Change, type Verdict, type Verdicts } from "./change.ts";
import { readContract } from "./contract.ts";
import { Side } from "./contract-side.ts";
import type { Document } from "./document.ts";
import { entryChanges } from "./entry-diff.ts";
import type { Flow } from "./message.ts";
import { migrationOf } from "./migration.ts";
import { type SchemaChange, type Step, UNNAMED_PROPERTY } from "./schema-change.ts";
import { SchemaDiff } from "./schema-diff.ts";
import { compareTypes, type TypeEffect, type TypePair } from "./type-probe.ts";
import { findWitness } from "./witness.ts";

/** The same change of a schema in all messages that have it. */
interface Group {
  readonly change: SchemaChange;
  readonly sites: Site[];
}

interface Site {
  readonly key: string;
  readonly flow: Flow;
  readonly change: SchemaChange;
}

/** Both contracts. */
export interface Sides {
  readonly old: Side;
  readonly new: Side;
}

/** Reads two documents of the interface for a comparison. */
export function sidesOf(before: Document, after: Document): Sides {
  return {
    old: new Side("old", readContract(before)),
    new: new Side("new", readContract(after)),
  };
}

/** The number of messages of a kind that are searched for a witness of a change. */
const MAX_SITES = 6;

/**
 * Compares two documents of the interface: which change breaks which audience.
 *
 * A diff of the schemas proposes changes. A change of a message is breaking if a witness is found:
 * a message that one document allows and the other rejects. A change of types is breaking if code
 * that compiles with the old types does not compile with the new ones.
 */
export async function compareDocuments(before: Document, after: Document): Promise<Breakage> {
  return compareSides(sidesOf(before, after));
}

/** Compares two contracts as {@link compareDocuments} compares their documents. */
export async function compareSides(sides: Sides): Promise<Breakage> {
  const { document: before } = sides.old.contract;
  const { document: after } = sides.new.contract;
  const groups = groupsOf(sides);
  const pairs = groups.map(({ sites }) => pairOf(sites, sides));
  const known = pairs.filter((pair) => pair !== undefined);
  const effects = await compareTypes(before, after, known);
  const effectOf = new Map(known.map((pair, at) => [pair, effects[at]]));
  const changes = [
    ...entryChanges(sides.old.contract, sides.new.contract).map((change) =>
      withMigration({ ...change, audiences: { ...NONE, ...change.audiences } }),
    ),
    ...groups.flatMap((group, at) => {
      const pair = pairs[at];
      return changeOf(group, sides, pair && effectOf.get(pair)) ?? [];
    }),
  ];
  const audiences = { ...NONE };
  for (const audience of AUDIENCES) {
    audiences[audience] = worst(changes.map((change) => change.audiences[audience]));
  }
  return { verdict: bumpOf(audiences, before, after), audiences, changes };
}

const NONE: { [Name in keyof Verdicts]: Verdict } = {
  ...{ consumer: "none", caller: "none", implementer: "none", types: "none" },
};

function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("breaking")) return "breaking";
  return verdicts.includes("compatible") ? "compatible" : "none";
}

function bumpOf(audiences: Verdicts, before: Document, after: Document): Breakage["verdict"] {
  const all = worst(Object.values(audiences));
  if (all !== "none") return all === "breaking" ? "major" : "minor";
  return JSON.stringify(before) === JSON.stringify(after) ? "none" : "patch";
}

/** The changes of all messages that both contracts have, each once. */
function groupsOf({ old, new: now }: Sides): Group[] {
  const diff = new SchemaDiff(old.contract, now.contract);
  const groups = new Map<string, Group>();
  for (const [key, message] of old.contract.messages) {
    const other = now.message(key);
    if (!other) continue;
    const root = (schema: unknown) => ({ schema, pointer: message.pointer });
    for (const change of diff.compare(root(message.schema), root(other.schema))) {
      const { kind, pointer, property, text } = change;
      const id = JSON.stringify([kind, pointer, property, text]);
      const group = groups.get(id) ?? { change, sites: [] };
      groups.set(id, group);
      group.sites.push({ key, flow: message.flow, change });
    }
  }
  return [...groups.values()];
}

/** Changes that may affect types but not messages. */
const OF_TYPES = new Set(["default-changed", "index-added", "index-removed"]);

/** The change of a schema; undefined if it is another form of the same schema. */
function changeOf(
  group: Group,
  { old, new: now }: Sides,
  effect: TypeEffect | undefined,
): Change | undefined {
  const { change, sites } = group;
  const isOfTypes = OF_TYPES.has(change.kind);
  const witnessIn = (flow: Flow, source: Side, target: Side): Found => {
    if (isOfTypes) return undefined;
    let found: Found;
    for (const site of sampleSites(sites.filter((one) => one.flow === flow))) {
      const one = findWitness(site.change, site.key, source, target);
      if (typeof one === "object") return one;
      found ??= one;
    }
    return found;
  };
  const sent = witnessIn("delivery", now, old);
  const called = strongest(witnessIn("response", now, old), witnessIn("request", old, now));
  // An old server under the new contract.
  const implemented = strongest(
    witnessIn("delivery", old, now),
    witnessIn("response", old, now),
    witnessIn("request", now, old),
  );
  const witnesses = [sent, called, implemented].filter((one) => typeof one === "object");
  const types = typesOf(group, effect);
  if (isOfTypes && types === "none") return undefined;
  const has = (...flows: readonly Flow[]) =>
    !isOfTypes && sites.some(({ flow }) => flows.includes(flow));
  const verdict = (isSeen: boolean, isBroken: boolean): Verdict =>
    isBroken ? "breaking" : isSeen ? "compatible" : "none";
  const { kind, pointer, text } = change;
  const isGone = change.kind === "property-removed" || effect?.kind !== "breaking";
  const error = isGone ? `code: ${text}` : `code that ${effect.code}: ${effect.error}`;
  const reasons = {
    ...(sent === "unbuilt" && { consumer: UNBUILT }),
    ...(called === "unbuilt" && { caller: UNBUILT }),
    ...(implemented === "unbuilt" && { implementer: UNBUILT }),
    ...(types === "breaking" && { types: error }),
  };
  return withMigration({
    ...{ kind, pointer, text, where: placeOf(sites, old, now) },
    audiences: {
      consumer: verdict(has("delivery"), sent !== undefined),
      caller: verdict(has("response", "request"), called !== undefined),
      implementer: verdict(!isOfTypes, implemented !== undefined),
      types,
    },
    ...(witnesses[0] && { witness: witnesses[0], witnesses }),
    ...(Object.keys(reasons).length > 0 && { reasons }),
  });
}

const UNBUILT = "no example could be built, but a required value may be missing";

/** A witness, or why there is none although the change breaks. */
type Found = ReturnType<typeof findWitness>;

function strongest(...found: readonly Found[]): Found {
  return found.find((one) => typeof one === "object") ?? found.find((one) => one !== undefined);
}

/** Samples sites from as many messages as possible: some messages rarely contain the place. */
function sampleSites(sites: readonly Site[]): Site[] {
  const firsts = new Map(sites.toReversed().map((site) => [site.key, site]));
  const others = sites.filter((site) => firsts.get(site.key) !== site);
  return [...[...firsts.values()].toReversed(), ...others].slice(0, MAX_SITES);
}

function withMigration(change: Change): Change {
  const migration = migrationOf(change);
  return migration.length === 0 ? change : { ...change, migration };
}

/** The first message that has a change, the place in it, and the number of other messages. */
function placeOf(sites: readonly Site[], old: Side, now: Side): string {
  const [first] = sites;
  if (!first) return "";
  const label = (now.message(first.key) ?? old.message(first.key))?.label ?? first.key;
  const messages = new Set(sites.map(({ key }) => key)).size;
  const path = pathText(first.change.path);
  const more = messages > 1 ? ` and ${messages - 1} more` : "";
  return `${label}${path === "" ? "" : ` ${path}`}${more}`;
}

function pathText(path: readonly Step[]): string {
  const parts = path.map((step) => {
    if (step.kind === "item") return "[]";
    if (step.kind === "variant") return step.tag === undefined ? "" : `(${step.value})`;
    return `.${step.name}`;
  });
  return parts.join("").replace(/^\.(?:body)?\.?/, "");
}

function typesOf({ change, sites }: Group, effect?: TypeEffect): Verdict {
  const { kind, property, new: now } = change;
  if (effect) return effect.kind === "same" ? "none" : effect.kind;
  // A whole part of a message, such as the body of a request, has no type to compare.
  if (kind === "property-removed") return "breaking";
  const isSent = sites.every(({ flow }) => flow === "request");
  if (kind === "property-optional") return isSent ? "compatible" : "breaking";
  if (kind !== "property-added" && kind !== "property-required") return "none";
  return property !== undefined && now?.required.has(property) ? "breaking" : "compatible";
}

/** The types of the place that changes, in the old and in the new document. */
function pairOf(sites: readonly Site[], { old, new: now }: Sides): TypePair | undefined {
  for (const { key, change } of sites) {
    const [part, ...rest] = change.path;
    if (part?.kind !== "member") continue;
    // Code that reads a property which is not named does not compile without the index.
    const isWithoutIndex =
      (change.kind === "object-closed" && change.old?.hasIndex) || change.kind === "index-removed";
    const ends = [old.message(key), now.message(key)].map((message) => {
      const type = message?.typeOf(part.name);
      if (!message || !type) return undefined;
      const nameOf = (name: string) =>
        part.name.startsWith("header") ? (message.headerNames.get(name) ?? name) : name;
      const named = rest.map((step, at) =>
        at === 0 && step.kind === "member" ? { ...step, name: nameOf(step.name) } : step,
      );
      const property = change.property === undefined ? undefined : nameOf(change.property);
      if (isWithoutIndex)
        return typeAt(type, [...named, { kind: "member", name: UNNAMED_PROPERTY }]);
      // Code that reads a removed property does not compile, even if it was optional.
      if (change.kind === "property-removed" && property !== undefined) {
        return typeAt(type, [...named, { kind: "member", name: property }]);
      }
      return typeAt(type, named, property);
    });
    const [before, after] = ends;
    if (before && after) return { old: before, new: after };
  }
  return undefined;
}

function typeAt(root: string, path: readonly Step[], property?: string): string {
  const at = path.reduce((type, step) => {
    if (step.kind === "item") return `Item<NonNullable<${type}>>`;
    if (step.kind === "member") return `At<NonNullable<${type}>, ${JSON.stringify(step.name)}>`;
    if (step.tag === undefined) return type;
    return `Variant<${type}, ${JSON.stringify(step.tag)}, ${JSON.stringify(step.value)}>`;
  }, root);
  return property === undefined ? at : `Only<NonNullable<${at}>, ${JSON.stringify(property)}>`;
}
