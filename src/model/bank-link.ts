import type { EventPayloads } from "../../generated/events.ts";
import type { components } from "../../generated/types.ts";
import type { Transition } from "./state-machine.ts";

type Completed = EventPayloads["banklink.completed"];
type MintedCard = components["schemas"]["MintedCard"];

type LinkState = "started" | "finished" | "completed";
type LinkTrigger = "start" | "finish" | "complete";

const COMPLETED = ["banklink.completed"] as const;

/**
 * The states of a bank link. `finish`: the cardholder completes the hosted flow, but the
 * notification is lost. `complete` comes by PATCH, notification or polling; only the first has an
 * effect (BLK-02).
 */
export const BANK_LINK_TRANSITIONS = [
  { trigger: "start", from: ["new"], to: "started", sends: [], requirement: "BLK-02" },
  {
    trigger: "finish",
    from: ["started", "finished"],
    to: "finished",
    sends: [],
    requirement: "BLK-02",
  },
  { trigger: "finish", from: ["completed"], to: "completed", sends: [], requirement: "BLK-02" },
  {
    trigger: "complete",
    from: ["started", "finished"],
    to: "completed",
    sends: COMPLETED,
    requirement: "BLK-02",
  },
  { trigger: "complete", from: ["completed"], to: "completed", sends: [], requirement: "BLK-02" },
] as const satisfies readonly Transition<LinkState, LinkTrigger>[];

/** A bank account as the event of its completed link has it. */
export type LinkedAccount = Completed["bankAccounts"][number];

/** Builds a linked account. */
export function linkedAccount(
  { id, name, mask, type, cardIds }: Omit<LinkedAccount, "cards">,
  minted: readonly MintedCard[],
): LinkedAccount {
  const cards = minted.length === 0 ? {} : { cards: [...minted] };
  return { id, name, mask, type, cardIds, ...cards };
}

/** BLK-03: a card that a credit account mints. */
export function mintedCard({
  id,
  subscriptionId,
  last4digits,
  network,
}: Omit<MintedCard, "enrollmentType">): MintedCard {
  return {
    id,
    subscriptionId,
    last4digits,
    network: network.toLowerCase(),
    enrollmentType: "bank-feed",
  };
}
