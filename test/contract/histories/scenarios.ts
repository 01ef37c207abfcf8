// Complete valid histories with a name for each delivery. A case replaces, drops or adds
// deliveries.
import {
  announced,
  authorization,
  clearing,
  created,
  type Message,
  match,
  matched,
  NETTED,
  retracted,
  type Snapshot,
  settlement,
  synthetic,
  transaction,
  updated,
} from "./money.ts";
import {
  type BankTransaction,
  changed,
  completed,
  creditAccount,
  id,
  posting,
  removed,
  subscribed,
  synced,
} from "./resources.ts";

interface PurchaseOptions {
  readonly name?: string;
  readonly projected?: boolean;
  /** Overrides of the authorization. */
  readonly auth?: Partial<Message>;
  readonly bank?: Partial<BankTransaction>;
}

/** The parts of a purchase of 42.50, settled by a bank posting, then cleared by the network. */
export function purchase({ name = "cafe", projected = true, ...over }: PurchaseOptions = {}) {
  const auth = authorization(name, over.auth);
  const bank = posting(name, over.bank);
  const settled = settlement(auth, bank);
  const cleared = clearing(auth);
  const at = (hour: number, messages: readonly Message[], snapshot: Snapshot = {}) =>
    transaction(name, hour, messages, { projected, ...snapshot });
  const pending = at(0, [auth]);
  return { auth, bank, settled, cleared, pending, at, match: match(name, pending, [bank]) };
}

/** A purchase is authorized and stays PENDING. */
export function authorized(options: PurchaseOptions = {}) {
  const { auth, pending } = purchase(options);
  return { authorized: announced(auth), pending: created(pending) };
}

/** A bank posting settles a purchase. */
export function settledByBank(options: PurchaseOptions = {}) {
  const { auth, bank, settled, at, match } = purchase(options);
  return {
    link: completed(),
    ...authorized(options),
    synced: synced(bank),
    matched: matched(match),
    posted: announced(settled),
    settled: updated(at(10, [auth, settled])),
  };
}

/** A bank posting settles a purchase, then the network clears it. */
export function thenCleared(options: PurchaseOptions = {}) {
  const { auth, settled, cleared, at } = purchase(options);
  const all = [auth, settled, cleared];
  return {
    ...settledByBank(options),
    cleared: announced(cleared),
    revised: updated(at(58, all, { superseded: [settled] })),
  };
}

/** After the clearing the bank's posting is retired and re-created: a second duplicate. */
export function duplicatedTwice(options: PurchaseOptions = {}) {
  const { auth, bank, settled, cleared, at, pending, match: first } = purchase(options);
  const again = posting("cafe again", { amount: bank.amount });
  const repeated = settlement(auth, again);
  const all = [auth, settled, cleared, repeated];
  return {
    ...thenCleared(options),
    removed: removed(bank, { reason: "duplicate_retired" }),
    retracted: retracted(first, "bank_transaction_retired"),
    syncedAgain: synced(again),
    matchedAgain: matched(match("cafe again", pending, [again])),
    postedAgain: announced(repeated),
    marked: updated(at(80, all, { superseded: [settled, repeated] })),
  };
}

/** A bank-only movement. */
export function movement(name = "rent", { projected = true, bank = {} as object } = {}) {
  const seen = posting(name, { amount: 900, ...bank });
  const message = synthetic(seen);
  return {
    synced: synced(seen),
    announced: announced(message),
    standalone: created(transaction(name, 1, [message], { projected })),
  };
}

/** Unrelated movements of the following days, at the end of a capture. */
export const daysAfter = () =>
  ["monday", "tuesday", "wednesday"].flatMap((day) => Object.values(movement(`after ${day}`)));

/** A bank-only movement, then the card data, and a match that nets the standalone. */
export function lateMatch(score = 0.93, options: PurchaseOptions = {}) {
  const { auth, bank, settled, at, pending } = purchase(options);
  const { projected = true } = options;
  const message = synthetic(bank);
  const nets = transaction("standalone", 30, [message], { projected, over: NETTED });
  return {
    link: completed(),
    synced: synced(bank),
    announced: announced(message),
    standalone: created(transaction("standalone", 1, [message], { projected })),
    ...authorized(options),
    matched: matched(match("late", pending, [bank], { score })),
    ...(score >= 0.7 && {
      posted: announced(settled),
      settled: updated(at(29, [auth, settled])),
    }),
    netted: updated(nets),
  };
}

/** A match that settles nothing, and its replacement by a forced re-match. */
export function rematched(score = 0.6) {
  const { bank, pending } = purchase();
  const old = match("old", pending, [bank], { score });
  return {
    link: completed(),
    ...authorized(),
    synced: synced(bank),
    matched: matched(old),
    retracted: retracted(old, "rematch_superseded"),
    rematched: matched(match("new", pending, [bank], { score: score + 0.05 })),
  };
}

/** A purchase of 100 in two legs, 60 and 40, each with a bank debit and a match of its own. */
export function clearedInParts(second: { cardTransactionId?: string } = {}) {
  const [large, small] = [leg(60), leg(40)] as const;
  return {
    link: completed(),
    authorized60: announced(large.auth),
    pending60: created(large.pending),
    authorized40: announced(small.auth),
    pending40: created(small.pending),
    synced60: synced(large.bank),
    matched60: matched(large.match),
    posted60: announced(large.settled),
    settled60: updated(large.at(10, [large.auth, large.settled])),
    synced40: synced(small.bank),
    matched40: matched(match("leg 40", small.pending, [small.bank], second)),
    posted40: announced(small.settled),
    settled40: updated(small.at(34, [small.auth, small.settled])),
  };
}

/** A leg of the split purchase. */
export const leg = (amount: number) =>
  purchase({ name: `leg ${amount}`, auth: { transactionAmount: amount }, bank: { amount } });

/** A bank posting settles a purchase, then the provider removes the posting. */
export function retired(options: PurchaseOptions = {}) {
  const { bank, match: of } = purchase(options);
  return {
    ...settledByBank(options),
    removed: removed(bank),
    retracted: retracted(of, "bank_transaction_retired"),
  };
}

/** A completed link mints a card, and its real number is enrolled later: the in-place upgrade. */
export function upgraded() {
  const real = { type: "cardholder-single", card: "minted", bankAccountId: id("visa") } as const;
  return {
    link: completed("visa link", [creditAccount("visa", "minted")]),
    minted: subscribed("minted", { type: "bank-feed", state: "active", bankAccountId: id("visa") }),
    upgraded: changed("minted", { ...real, state: "reqSCA", hour: 5 }),
    cleared: changed("minted", { ...real, state: "active", hour: 6 }),
  };
}
