import type { Audience, Change, Verdict } from "./change.ts";
import type { Contract, Entry } from "./contract.ts";

type EntryChange = Omit<Change, "audiences"> & {
  readonly audiences: Partial<Record<Audience, Verdict>>;
};

/** Changes outside of schemas: of events, operations, responses, access and requirements. */
export function entryChanges(before: Contract, after: Contract): EntryChange[] {
  const operations = [...before.operations].flatMap(([key, old]) => {
    const now = after.operations.get(key);
    if (!now) return [];
    return [...renamed(old, now), ...securityChanges(old, now), ...statusChanges(old, now)];
  });
  return [
    ...presenceChanges("event", before.events, after.events),
    ...presenceChanges("operation", before.operations, after.operations),
    ...operations,
    ...mediaChanges("removed", before, after),
    ...mediaChanges("added", after, before),
    ...presenceChanges("requirement", before.requirements, after.requirements),
  ];
}

type EntryKind = "event" | "operation" | "requirement";
type Presence = "removed" | "added";

/** Verdicts and reasons on an entry that only one contract has. */
const PRESENCE: Readonly<
  Record<
    `${EntryKind}-${Presence}`,
    (name: string) => Pick<EntryChange, "audiences"> & Partial<Pick<EntryChange, "reasons">>
  >
> = {
  "event-removed": (name) => ({
    audiences: { consumer: "breaking", implementer: "compatible", types: "breaking" },
    reasons: { consumer: "the event is no longer sent", types: `webhooks has no "${name}"` },
  }),
  // VER-01: a consumer accepts unknown events.
  "event-added": () => ({
    audiences: { consumer: "compatible", implementer: "breaking", types: "compatible" },
    reasons: { implementer: "a server that conforms to the old contract does not send it" },
  }),
  "operation-removed": (name) => ({
    audiences: { caller: "breaking", implementer: "compatible", types: "breaking" },
    reasons: { caller: "a server may respond with 404", types: `paths has no ${name}` },
  }),
  "operation-added": () => ({
    audiences: { caller: "compatible", implementer: "breaking", types: "compatible" },
    reasons: { implementer: "a server that conforms to the old contract does not serve it" },
  }),
  "requirement-removed": () => ({ audiences: { implementer: "compatible" } }),
  "requirement-added": () => ({
    audiences: { implementer: "breaking" },
    reasons: { implementer: "a server that conforms to the old contract may not meet it" },
  }),
};

/** Entries that only one contract has. A requirement is only the pointer to it. */
function presenceChanges(
  what: EntryKind,
  before: ReadonlyMap<string, Entry | string>,
  after: ReadonlyMap<string, Entry | string>,
): EntryChange[] {
  const changed = (change: Presence, here: typeof before, there: typeof before) =>
    [...here].flatMap(([key, entry]): EntryChange[] => {
      if (there.has(key)) return [];
      const [where, pointer] =
        typeof entry === "string" ? [key, entry] : [entry.name, entry.pointer];
      const kind = `${what}-${change}` as const;
      const text = `the ${what} was ${change}`;
      return [{ kind, where, pointer, text, ...PRESENCE[kind](where) }];
    });
  return [...changed("removed", before, after), ...changed("added", after, before)];
}

function renamed(old: Entry, now: Entry): EntryChange[] {
  if (old.name === now.name) return [];
  const text = `was renamed to ${now.name}; the requests are the same`;
  return [
    {
      ...{ kind: "path-parameter-renamed", where: old.name, pointer: now.pointer, text },
      audiences: { types: "breaking" },
      reasons: { types: `paths has no "${old.name.replace(/^\S+ /, "")}"` },
    },
  ];
}

function securityChanges(old: Entry, now: Entry): EntryChange[] {
  const allows = (ways: Entry["security"], way: readonly string[]) =>
    ways.some((wanted) => wanted.every((one) => way.includes(one)));
  const refused = old.security.find((way) => !allows(now.security, way));
  const added = now.security.find((way) => !allows(old.security, way));
  if (!refused && !added) return [];
  const describe = (way: readonly string[]) =>
    way.length === 0 ? "no access token" : way.join(", ");
  const ways = now.security.map(describe).join(" or ");
  const reasons = {
    ...(refused && { caller: `a request with ${describe(refused)} is refused` }),
    ...(added && { implementer: `an old server may refuse a request with ${describe(added)}` }),
  };
  return [
    {
      ...{ kind: "security-changed", where: old.name, pointer: now.pointer },
      text: `now requires ${ways || "no access token"}`,
      audiences: {
        caller: refused ? "breaking" : "compatible",
        implementer: added ? "breaking" : "compatible",
      },
      reasons,
    },
  ];
}

/** Whether a contract allows a status. `default` means every error status and no success. */
function allowsStatus(statuses: readonly string[], status: string): boolean {
  if (statuses.includes(status) || statuses.includes(`${status[0]}XX`)) return true;
  return statuses.includes("default") && !status.startsWith("2");
}

function statusChanges(old: Entry, now: Entry): EntryChange[] {
  const where = old.name;
  const added = now.statuses.filter((status) => !old.statuses.includes(status));
  const removed = old.statuses.filter((status) => !now.statuses.includes(status));
  return [
    ...added.map((status): EntryChange => {
      const isKnown = allowsStatus(old.statuses, status);
      const isSuccess = status.startsWith("2") && now.bodied.includes(status);
      return {
        ...{ kind: "response-added", where, pointer: now.pointer },
        text: `the response ${status} was added`,
        audiences: {
          caller: isKnown ? "compatible" : "breaking",
          implementer: "compatible",
          types: isSuccess ? "breaking" : "compatible",
        },
        reasons: {
          ...(!isKnown && { caller: `the old contract has no response ${status}` }),
          ...(isSuccess && { types: "a success has another type" }),
        },
      };
    }),
    ...removed.map((status): EntryChange => {
      const isKnown = allowsStatus(now.statuses, status);
      return {
        ...{ kind: "response-removed", where, pointer: old.pointer },
        text: `the response ${status} was removed`,
        audiences: {
          caller: "compatible",
          implementer: isKnown ? "compatible" : "breaking",
          types: "breaking",
        },
        reasons: {
          ...(!isKnown && { implementer: `the new contract has no response ${status}` }),
          types: `responses has no ${status}`,
        },
      };
    }),
  ];
}

/** Media types that only one contract has, of messages that both have. */
function mediaChanges(change: Presence, here: Contract, there: Contract): EntryChange[] {
  const others = [...there.messages.values()];
  return [...here.messages].flatMap(([key, { flow, owner, media, label, pointer }]) => {
    const hasOther = others.some((one) => one.flow === flow && one.owner === owner);
    if (there.messages.has(key) || media === "" || !hasOther) return [];
    const isRequest = flow === "request";
    const receiver = flow === "delivery" ? "consumer" : "caller";
    const isReceivers = isRequest === (change === "removed");
    const reason = MEDIA_REASONS[change][isRequest ? "request" : "other"];
    return {
      ...{ kind: `media-type-${change}`, where: label, pointer },
      text: `the media type was ${change}`,
      audiences: {
        [receiver]: isReceivers ? "breaking" : "compatible",
        implementer: isReceivers ? "compatible" : "breaking",
        types: change === "removed" || !isRequest ? "breaking" : "compatible",
      },
      reasons: { [isReceivers ? receiver : "implementer"]: reason },
    };
  });
}

const MEDIA_REASONS = {
  removed: {
    request: "a request of this media type is refused",
    other: "the new contract does not have this media type",
  },
  added: {
    request: "an old server may refuse a request of this media type",
    other: "the old contract does not have this media type",
  },
};
