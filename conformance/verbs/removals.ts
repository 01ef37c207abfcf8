import type { Session } from "../check.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { isGone, itemsWithId } from "../observe/pages.ts";
import type { Delivery } from "../wire/exchange.ts";
import { changeOne, type Model, type PostingState } from "./model.ts";
import { about, noRetraction, retraction, values } from "./owed.ts";
import { type Owed, onOne, type Row, type Rows } from "./row.ts";
import type { Name } from "./step.ts";
import type { World } from "./world.ts";

type Removal = "removeAtProvider" | "retireDuplicate";

/** The ends of postings: banktransaction.deleted, and the retraction of their matches. */
export const removalRows: Rows<Removal> = {
  removeAtProvider: {
    ...removal("removeAtProvider", "provider_removed"),
    ...onOne("removeAtProvider", "posting", ({ removedBy }, { verb }) =>
      removedBy === undefined ? "applies" : removedBy === verb ? "repeats" : undefined,
    ),
    // A target without a connection may not know of the removal yet.
    later: (world, { posting, isLater }) => {
      const { bankTransactionId: id } = world.idsOf(posting);
      const shownBy = ({ name, json }: Delivery) =>
        name === "banktransaction.deleted" && textAt(json, "/id") === id ? {} : undefined;
      return isLater ? { shownBy, in: [] } : undefined;
    },
    situations: (world, { posting }) => ["removed", ...matchedIn(world, posting)],
  },

  // Only a pair of equal postings has a duplicate.
  retireDuplicate: {
    ...removal("retireDuplicate", "duplicate_retired"),
    ...onOne("retireDuplicate", "posting", ({ removedBy }, { verb, posting }, model) => {
      if (removedBy === verb) return "repeats";
      return twinOf(model, posting) === undefined ? undefined : "applies";
    }),
    situations: (world, { posting }) => ["retired", ...matchedIn(world, posting)],
    isRare: true,
  },
};

/** What both ends of a posting have in common. Its match, if any, is retracted. */
function removal(
  removedBy: Removal,
  reason: string,
): Pick<Row<Removal>, "apply" | "owes" | "forbids"> {
  return {
    apply: (model, { posting: name }) => {
      const after = changeOne(model, "postings", name, { removedBy });
      const { purchase } = model.postings[name] as PostingState;
      return purchase === undefined
        ? after
        : changeOne(after, "purchases", purchase, { isOpen: true });
    },
    owes: (world, { posting }) => deletion(world, posting, reason),
    forbids: (world, { posting }) => {
      const { bankTransactionId: id } = world.idsOf(posting);
      return world.matchesOf(id).length > 0 ? [] : [noRetraction(id)];
    },
  };
}

/** The end of a bank transaction, and of its matches. */
function deletion(world: World, posting: Name, reason: string): Owed[] {
  const { bankTransactionId: id } = world.idsOf(posting);
  const { bankAccountId } = world.idsOf(world.model.postings[posting]?.account ?? "");
  return [
    {
      claims: ["BTX-04.owed"],
      ...about("banktransaction.deleted", "/id", id),
      wants: [
        values("BTX-04.account", { "/bankAccountId": bankAccountId }),
        values("BTX-04.reason", { "/reason": reason }),
      ],
      once: "BTX-04.owed",
    },
    ...world
      .matchesOf(id)
      .map(({ delivery }) =>
        retraction("BTX-05.retracted", textAt(delivery.json, "/matchId") ?? "", [
          values("BTX-05.reason", { "/reason": "bank_transaction_retired" }),
        ]),
      ),
  ];
}

/** The removals while the connection was lost that the list shows, but no event. */
export async function removalsByApi(
  session: Session,
  world: World,
  { account }: { readonly account: Name },
): Promise<readonly Owed[]> {
  const owed: Owed[] = [];
  for (const { step } of world.pending) {
    if (step.verb !== "removeAtProvider") continue;
    const { bankTransactionId } = world.idsOf(step.posting);
    if (world.model.postings[step.posting]?.account !== account) continue;
    const list = await itemsWithId(session, "GET /bank-transactions", bankTransactionId);
    if (isGone(list)) {
      owed.push(...deletion(world, step.posting, "provider_removed"));
    }
  }
  return owed;
}

function matchedIn(world: World, posting: Name) {
  const { bankTransactionId } = world.idsOf(posting);
  return [world.matchesOf(bankTransactionId).length > 0 ? "matched" : "unmatched"] as const;
}

/** Another posting of its day that is equal and not removed. */
function twinOf({ postings }: Model, name: Name): Name | undefined {
  const own = postings[name];
  if (!own || own.removedBy) return undefined;
  const contentOf = ({ account, amount, merchant, day }: PostingState) =>
    JSON.stringify([account, amount, merchant, day]);
  return Object.keys(postings).find((other) => {
    const posting = postings[other] as PostingState;
    return other !== name && contentOf(posting) === contentOf(own) && !posting.removedBy;
  });
}
