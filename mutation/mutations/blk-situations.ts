import { setTimeout } from "node:timers/promises";
import { replaceAnnounce, replaceVerb } from "../internals.ts";
import type { Mutation, MutationRun } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  type Json,
  mutationState,
  OTHER_ID,
  onEvents,
  onPath,
  replaceEvent,
} from "../rewrite.ts";

const COMPLETED = "banklink.completed" as const;

/** The bank link at a path, before a request. */
async function linkAt(
  path: string,
  { sandbox }: MutationRun,
): Promise<{ id?: string; state?: string }> {
  const links = await sandbox.resources("bank-links", { limit: 10_000 });
  const link = links.find(({ id }) => path.endsWith(id));
  return link ? { id: link.id, state: (link.hidden as Json).state } : {};
}

/** How to send the announcement of each link again. */
const sentIn = (run: MutationRun) =>
  mutationState(run, "sent", () => new Map<string, () => Promise<void>>());

/** Mutations of completed bank links that show only in some situations. */
export const blkSituations: readonly Mutation[] = [
  {
    id: "blk/accounts-without-cards-left-out",
    requirement: "BLK-01",
    description: "Accounts without a card are left out of banklink.completed",
    checks: ["BLK-01: a completion lists every account of the link as the bank shows it"],
    deliveries: changeEventsNamed(COMPLETED, (body) => {
      body.bankAccounts = body.bankAccounts.filter(({ cardIds }: Json) => cardIds.length > 0);
    }),
  },
  {
    id: "blk/type-of-provider",
    requirement: "BLK-01",
    description: "type is the name of the provider, without normalization",
    checks: ["BLK-01: a completion lists every account of the link as the bank shows it"],
    deliveries: changeEventsNamed(COMPLETED, (body) => {
      for (const account of body.bankAccounts) {
        if (account.type !== "credit" || account.cards) continue;
        account.type = "revolving";
      }
    }),
  },
  {
    id: "blk/polling-sends-twice",
    requirement: "BLK-02",
    description: "Polling announces a completion twice: before and after its cards are known",
    checks: ["BLK-02: each way to complete a link sends one banklink.completed"],
    deliveries: onEvents(COMPLETED, async (delivery, { send }, run) => {
      const body = parseJson(delivery.body);
      const waiting = mutationState(run, "polled", () => new Set<string>());
      if (!waiting.has(body.bankLinkId) && body.bankAccounts.length === 3) {
        const bankAccounts = body.bankAccounts.map(({ cards, ...account }: Json) => account);
        await send(replaceEvent(delivery, COMPLETED, { ...body, bankAccounts }));
      }
      waiting.add(body.bankLinkId);
      await send(delivery);
    }),
  },
  {
    id: "blk/completed-again",
    requirement: "BLK-02",
    description: "A completed link is announced again when its flow ends a second time",
    checks: ["BLK-02: a link that is completed in two ways sends one banklink.completed"],
    inside: replaceVerb("link-complete", (original, work, params, fire) => {
      const before = work.store.find("bank-links", params.bankLinkId);
      const isComplete = before.internal.state === "completed";
      const result = original(work, params);
      if (!isComplete) return result;
      fire();
      const event = { bankLinkId: before.id, bankAccounts: [] };
      work.announce(COMPLETED, { accountId: before.accountId, resource: before.id }, event);
      return result;
    }),
  },
  {
    id: "blk/polled-after-patch",
    requirement: "BLK-02",
    description: "A PATCH does not cancel the polling, which announces the link again",
    checks: ["BLK-02: a link that is completed in two ways sends one banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      async ({ path, forward }, run) => {
        const { id = "", state } = await linkAt(path, run);
        if (state === "finished") mutationState(run, "due", () => new Set<string>()).add(id);
        return await forward();
      },
      "PATCH",
    ),
    deliveries: onEvents(COMPLETED, async (delivery, { send, defer }, run) => {
      await send(delivery);
      const { bankLinkId } = parseJson(delivery.body);
      if (!mutationState(run, "due", () => new Set<string>()).has(bankLinkId)) return;
      run.fire();
      defer(delivery);
    }),
  },
  {
    id: "blk/patched-again",
    requirement: "BLK-02",
    description: "PATCH announces the link, whether it was complete or not",
    checks: ["BLK-02: PATCH of a completed bank link sends no second banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      async ({ path, forward }, run) => {
        const { id = "", state } = await linkAt(path, run);
        const response = await forward();
        const again = sentIn(run).get(id);
        if (state === "completed" && again) {
          run.fire();
          await again();
        }
        return response;
      },
      "PATCH",
    ),
    deliveries: onEvents(COMPLETED, async (delivery, { send }, run) => {
      await send(delivery);
      sentIn(run).set(parseJson(delivery.body).bankLinkId, () => send(delivery));
    }),
  },
  {
    id: "blk/all-cards-of-subaccount",
    requirement: "BLK-04",
    description: "cardIds has the cards that were enrolled last, whatever their digits",
    checks: ["BLK-04: cardIds includes an enrolled card with the account's last 4 digits"],
    deliveries: changeEventsNamed(COMPLETED, async (body, { run: { sandbox } }) => {
      const cards = await sandbox.resources("cards", { limit: 10_000 });
      for (const account of body.bankAccounts) {
        const others = cards.map(({ id }) => id).filter((id) => !account.cardIds.includes(id));
        account.cardIds.push(...others);
      }
    }),
  },
  {
    id: "blk/patched-at-once",
    requirement: "BLK-02",
    description: "Two PATCH requests at once both find the link incomplete, and both complete it",
    checks: ["BLK-02: a link that is completed in two ways sends one banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      async ({ forward, path }, run) => {
        const open = mutationState(run, "open", () => new Set<string>());
        const raced = mutationState(run, "raced", () => new Set<string>());
        const id = path.split("/").at(-1) ?? "";
        if (open.has(id)) raced.add(id);
        open.add(id);
        await setTimeout(20);
        const response = await forward();
        open.delete(id);
        return response;
      },
      "PATCH",
    ),
    deliveries: onEvents(COMPLETED, async (delivery, { send }, run) => {
      await send(delivery);
      const { bankAccounts, ...body } = parseJson(delivery.body);
      const raced = mutationState(run, "raced", () => new Set<string>());
      if (!raced.has(body.bankLinkId)) return;
      const again = bankAccounts.map((account: Json) => ({ ...account, id: OTHER_ID }));
      await send(replaceEvent(delivery, COMPLETED, { ...body, bankAccounts: again }));
    }),
  },
  {
    id: "blk/one-poller",
    requirement: "BLK-02",
    description: "The polling for a link ends when another link is completed",
    checks: ["BLK-02: a completion by polling sends one banklink.completed"],
    inside: replaceAnnounce((send, { name, order, body }, work, fire) => {
      send(name, order, body);
      if (name !== COMPLETED) return;
      const { subaccountId } = work.store.find("bank-links", body.bankLinkId);
      for (const { id, internal } of work.store.children("bank-links", subaccountId)) {
        if (internal.state !== "finished") continue;
        fire();
        work.cancel("poll-link", id);
      }
    }),
  },
];
