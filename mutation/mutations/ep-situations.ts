import type { HttpHook, Mutation, MutationRun } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeResponseAt,
  changeResponses,
  dropEvents,
  type Json,
  mutationState,
  nameIn,
  onEvents,
  onPath,
  replaceEvent,
} from "../rewrite.ts";

const COMPLETED = "banklink.completed" as const;

type Kind = "bank-links" | "bank-accounts" | "transactions";

/** The ids of the account's bank links that are complete or not, the latest first. */
async function linksThat({ sandbox }: MutationRun, areComplete: boolean): Promise<string[]> {
  const [{ accountId }] = sandbox.accounts;
  const links = await sandbox.resources("bank-links", { accountId, limit: 10_000 });
  return links
    .filter(({ hidden }) => ((hidden as Json).state === "completed") === areComplete)
    .map(({ id }) => id);
}

/** Removes items from a list. */
function leaveOut(
  kind: Kind,
  idsOf: (run: MutationRun) => Promise<readonly string[]>,
): Pick<Mutation, "http"> {
  return {
    http: changeResponseAt(`/${kind}`, async (json, { run }) => {
      const hidden = new Set(await idsOf(run));
      const name = nameIn(kind);
      json._embedded[name] = json._embedded[name].filter(({ id }: Json) => !hidden.has(id));
    }),
  };
}

/** The ids of resources that were created after the first request for their list. */
function created(kind: Kind): (run: MutationRun) => Promise<readonly string[]> {
  return async (run) => {
    const all = await run.sandbox.resources(kind, { limit: 10_000 });
    const ids = all.map(({ id }) => id);
    const known = mutationState(run, "known", () => new Set(ids));
    return ids.filter((id) => !known.has(id));
  };
}

const notePatch: HttpHook = async ({ path, forward }, run) => {
  mutationState(run, "patched", () => new Set<string>()).add(path.split("/")[2] ?? "");
  return await forward();
};

/** Sends the PATCH of a link to another one, if there is an incomplete one. */
const patchLatest: HttpHook = async ({ forward }, run) => {
  const [latest] = await linksThat(run, false);
  return await forward(latest === undefined ? {} : { target: `/bank-links/${latest}` });
};

/** Mutations of endpoints that show only in comparison with events. */
export const epSituations: readonly Mutation[] = [
  {
    id: "ep/new-transactions-not-listed",
    requirement: "EP-03",
    description: "The list is served from a snapshot that is made at night",
    checks: ["EP-03: GET /transactions lists announced resources"],
    ...leaveOut("transactions", created("transactions")),
  },
  {
    id: "ep/incomplete-links-not-listed",
    requirement: "EP-06",
    description: "Only completed bank links are listed",
    checks: ["EP-06: a bank link is listed after its start and after its completion"],
    ...leaveOut("bank-links", (run) => linksThat(run, false)),
  },
  {
    id: "ep/completed-links-not-listed",
    requirement: "EP-06",
    description: "A completed bank link leaves the list, like a finished task",
    checks: [
      "EP-06: a bank link is listed after its start and after its completion",
      "EP-06: GET /bank-links lists announced resources",
    ],
    ...leaveOut("bank-links", (run) => linksThat(run, true)),
  },
  {
    id: "ep/patch-of-latest",
    requirement: "EP-07",
    description: "PATCH completes the link that was started last, whatever its id",
    checks: [
      "EP-07: PATCH of a bank link triggers its banklink.completed",
      "EP-07: PATCH of a bank link completes no other link",
    ],
    http: onPath("/bank-links/{}", patchLatest, "PATCH"),
  },
  {
    id: "ep/patch-of-all",
    requirement: "EP-07",
    description: "PATCH completes every link of the cardholder",
    checks: ["EP-07: PATCH of a bank link completes no other link"],
    deliveries: onEvents(COMPLETED, async (delivery, { send }, run) => {
      await send(delivery);
      const { bankLinkId } = parseJson(delivery.body);
      const isPatched = mutationState(run, "patched", () => new Set<string>()).has(bankLinkId);
      for (const id of isPatched ? await linksThat(run, false) : []) {
        await send(replaceEvent(delivery, COMPLETED, { bankLinkId: id, bankAccounts: [] }));
      }
    }),
    http: onPath("/bank-links/{}", notePatch, "PATCH"),
  },
  {
    id: "ep/second-patch-without-event",
    requirement: "EP-07",
    description: "Only the first PATCH announces a completion: the handler keeps its transaction",
    checks: ["EP-07: PATCH of a bank link triggers its banklink.completed"],
    http: onPath("/bank-links/{}", notePatch, "PATCH"),
    deliveries: dropEvents(COMPLETED, ({ bankLinkId }, run) => {
      return [...mutationState(run, "patched", () => new Set<string>())].indexOf(bankLinkId) > 0;
    }),
  },
  {
    id: "ep/new-accounts-not-listed",
    requirement: "EP-08",
    description: "A new bank account is listed after its first sync, the next day",
    checks: [
      "EP-08: GET /bank-accounts lists announced resources",
      "EP-07: the accounts of a link completed by PATCH are in GET /bank-accounts",
    ],
    ...leaveOut("bank-accounts", created("bank-accounts")),
  },
  {
    id: "ep/lost-accounts-not-listed",
    requirement: "EP-08",
    description: "Only bank accounts with a connection are listed",
    checks: ["EP-08: a bank account is listed in each state of its connection"],
    ...leaveOut("bank-accounts", async ({ sandbox }) => {
      const all = await sandbox.resources("bank-accounts", { limit: 10_000 });
      return all
        .filter(({ hidden }) => (hidden as Json).state === "disconnected")
        .map(({ id }) => id);
    }),
  },
  {
    id: "ep/date-of-value",
    requirement: "EP-09",
    description: "The REST resource has the value date, and the event the booking date",
    checks: [
      "EP-09: each item of GET /bank-transactions equals its event",
      "EP-10: GET of a bank transaction equals its event",
    ],
    http: changeResponses("bank-transactions", (body) => {
      body.date = `2019${body.date.slice(4)}`;
    }),
  },
  {
    id: "ep/score-of-list",
    requirement: "EP-11",
    description: "The list has the score of the first pass",
    checks: ["EP-11: each item of GET /transaction-matches equals its event"],
    http: changeResponseAt("/transaction-matches", (json) => {
      for (const one of json._embedded[nameIn("transaction-matches")]) {
        if (typeof one.score === "number") one.score /= 2;
      }
    }),
  },
  {
    id: "ep/subscription-dates-of-card",
    requirement: "EP-13",
    description: "GET of a subscription has the expiration date of its card",
    checks: ["EP-13: GET of a subscription has the dates and links of its last event"],
    http: changeResponses("card-subscriptions", (body) => {
      body.expirationDate = "2031-01-31T00:00:00.000Z";
    }),
  },
];
