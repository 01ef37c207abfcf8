import type { Audience, Change, Verdict } from "./change.ts";
import type { Contract, Entry } from "./contract.ts";
import type { Message } from "./message.ts";

type EntryChange = Omit<Change, "audiences"> & {
  readonly audiences: Partial<Record<Audience, Verdict>>;
};

/** Changes outside of schemas: of events, operations, responses, access and requirements. */
export function entryChanges(before: Contract, after: Contract): EntryChange[] {
  return [
    ...eventChanges(before, after),
    ...operationChanges(before, after),
    ...mediaChanges(before, after),
    ...requirementChanges(before, after),
  ];
}

function eventChanges(before: Contract, after: Contract): EntryChange[] {
  const { only: removed } = difference(before.events, after.events);
  const { only: added } = difference(after.events, before.events);
  return [
    ...removed.map(
      ({ name, pointer }): EntryChange => ({
        ...{ kind: "event-removed", where: name, pointer, text: "the event was removed" },
        audiences: { consumer: "breaking", implementer: "compatible", types: "breaking" },
        reasons: { consumer: "the event is no longer sent", types: `webhooks has no "${name}"` },
      }),
    ),
    ...added.map(
      ({ name, pointer }): EntryChange => ({
        ...{ kind: "event-added", where: name, pointer, text: "the event was added" },
        // VER-01: a consumer accepts unknown events.
        audiences: { consumer: "compatible", implementer: "breaking", types: "compatible" },
        reasons: { implementer: "a server that conforms to the old contract does not send it" },
      }),
    ),
  ];
}

function operationChanges(before: Contract, after: Contract): EntryChange[] {
  const { only: removed, common } = difference(before.operations, after.operations);
  const { only: added } = difference(after.operations, before.operations);
  return [
    ...removed.map(
      ({ name, pointer }): EntryChange => ({
        ...{ kind: "operation-removed", where: name, pointer, text: "the operation was removed" },
        audiences: { caller: "breaking", implementer: "compatible", types: "breaking" },
        reasons: { caller: "a server may respond with 404", types: `paths has no ${name}` },
      }),
    ),
    ...added.map(
      ({ name, pointer }): EntryChange => ({
        ...{ kind: "operation-added", where: name, pointer, text: "the operation was added" },
        audiences: { caller: "compatible", implementer: "breaking", types: "compatible" },
        reasons: { implementer: "a server that conforms to the old contract does not serve it" },
      }),
    ),
    ...common.flatMap(([old, now]) => [
      ...renamed(old, now),
      ...securityChanges(old, now),
      ...statusChanges(old, now),
    ]),
  ];
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
function mediaChanges(before: Contract, after: Contract): EntryChange[] {
  return [
    ...mediaOnlyIn(before, after).map(({ flow, label, pointer }): EntryChange => {
      const isRequest = flow === "request";
      const receiver = flow === "delivery" ? "consumer" : "caller";
      return {
        ...{ kind: "media-type-removed", where: label, pointer },
        text: "the media type was removed",
        audiences: isRequest
          ? { caller: "breaking", implementer: "compatible", types: "breaking" }
          : { [receiver]: "compatible", implementer: "breaking", types: "breaking" },
        reasons: isRequest
          ? { caller: "a request of this media type is refused" }
          : { implementer: "the new contract does not have this media type" },
      };
    }),
    ...mediaOnlyIn(after, before).map(({ flow, label, pointer }): EntryChange => {
      const isRequest = flow === "request";
      const receiver = flow === "delivery" ? "consumer" : "caller";
      return {
        ...{ kind: "media-type-added", where: label, pointer },
        text: "the media type was added",
        audiences: isRequest
          ? { caller: "compatible", implementer: "breaking", types: "compatible" }
          : { [receiver]: "breaking", implementer: "compatible", types: "breaking" },
        reasons: isRequest
          ? { implementer: "an old server may refuse a request of this media type" }
          : { [receiver]: "the old contract does not have this media type" },
      };
    }),
  ];
}

function mediaOnlyIn(here: Contract, there: Contract): Message[] {
  const own = [...here.messages].filter(([key]) => !there.messages.has(key));
  const others = [...there.messages.values()];
  return own
    .map(([, message]) => message)
    .filter(
      ({ flow, owner, media }) =>
        media !== "" && others.some((one) => one.flow === flow && one.owner === owner),
    );
}

function requirementChanges(before: Contract, after: Contract): EntryChange[] {
  const removed = [...before.requirements].filter(([id]) => !after.requirements.has(id));
  const added = [...after.requirements].filter(([id]) => !before.requirements.has(id));
  return [
    ...removed.map(
      ([id, pointer]): EntryChange => ({
        ...{ kind: "requirement-removed", where: id, pointer, text: "the requirement was removed" },
        audiences: { implementer: "compatible" },
      }),
    ),
    ...added.map(
      ([id, pointer]): EntryChange => ({
        ...{ kind: "requirement-added", where: id, pointer, text: "the requirement was added" },
        audiences: { implementer: "breaking" },
        reasons: { implementer: "a server that conforms to the old contract may not meet it" },
      }),
    ),
  ];
}

function difference(first: ReadonlyMap<string, Entry>, second: ReadonlyMap<string, Entry>) {
  const only: Entry[] = [];
  const common: [Entry, Entry][] = [];
  for (const [key, entry] of first) {
    const other = second.get(key);
    if (other) common.push([entry, other]);
    else only.push(entry);
  }
  return { only, common };
}
