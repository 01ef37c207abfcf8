import type { EventName } from "../generated/events.ts";
import type { Networks } from "../src/contract/networks.ts";
import { memberOf } from "../src/contract/pointer.ts";
import { reasonOf, type TxfeedError, UsageError } from "../src/errors.ts";
import { suggestion } from "../src/nearest.ts";

/** What a driver's factory function receives. */
export interface DriverContext {
  /** The base address of the target, without a trailing slash. */
  readonly baseUrl: string;
  /** The codes of the card networks, as the target writes them: `--networks`. */
  readonly networks: Networks;
}

/**
 * Triggers events at a target, so that checks can observe the effects. Every verb is optional:
 * checks that need a missing verb are skipped with a reason, and `txfeed driver check` lists the
 * requirements that need it.
 *
 * - A verb resolves when the target has accepted it; the effects may follow later. It rejects if
 *   the target refuses: the checks that need it are then undecided, with the error message.
 * - Ids are those of the interface. All resources belong to one subaccount of the account that the
 *   run authenticates as.
 * - Amounts are in EUR unless `currency` says otherwise, and in major units, such as 31.19. A
 *   merchant is the text that the card side and the bank side both write, such as
 *   `KIOSK MORGENROT`.
 * - A verb may be called repeatedly, in one run and in many: each call creates new resources.
 * - Parameters marked as a wish may be ignored. Checks that depend on a wish then find out by the
 *   result or by the API, and are undecided.
 *
 * `txfeed conformance --driver ./my-driver.js` loads a module whose default export is a driver, or
 * a function that takes a {@link DriverContext} and returns a driver or a promise of one.
 * `txfeed driver init` writes a skeleton, and `txfeed driver check` tries each verb.
 */
export interface Driver {
  /**
   * Subscribes a URL, used unchanged with its path, to all events or to the listed ones. Several
   * URLs may be subscribed at once. Without it, the target must deliver to `--webhook-listen`.
   */
  subscribe?(to: { url: string; events?: readonly EventName[] }): Promise<void>;
  /** Ends the subscription of a URL. Called at the end of every run, even a failed one. */
  unsubscribe?(from: { url: string }): Promise<void>;
  /**
   * Resolves when all due deliveries have been sent: none arrives later. Omit it if the target
   * can't know that; the run then waits for the expected deliveries, up to a timeout.
   */
  settle?(): Promise<void>;
  /** Advances the target's clock and runs everything due by then: polling, late matching. */
  advance?(by: { seconds: number }): Promise<void>;

  /**
   * A cardholder enrolls a new card. Its subscription is in `reqSCA` until `clearSca`.
   *
   * - `network`, a wish: the code of the card's network, of {@link DriverContext}. Default: any.
   */
  enroll?(card?: { network?: string }): Promise<EnrolledCard>;
  /** The SCA of a subscription in `reqSCA` is cleared: it becomes `active`. */
  clearSca?(of: { subscriptionId: string }): Promise<void>;
  /** An active subscription ends: it becomes `deactivated`. */
  deactivate?(of: { subscriptionId: string }): Promise<void>;
  /** The real card number of an active `bank-feed` subscription is enrolled. */
  upgrade?(of: { subscriptionId: string }): Promise<void>;
  /** An enrolled card without a bank account is linked to a connected one, in any state. */
  linkCard?(what: { cardId: string; bankAccountId: string }): Promise<void>;

  /**
   * A bulk feed is submitted to NETWORK_B, with the count or without. It is `submitted` until
   * `acceptFeed` or `rejectFeed`.
   */
  submitFeed?(what: { expectedCardCount?: number }): Promise<{ feedId: string }>;
  /** A submitted feed is accepted. Returns the subscriptions that it creates, if any. */
  acceptFeed?(of: { feedId: string }): Promise<{ subscriptionIds: readonly string[] }>;
  /** A submitted feed is rejected. */
  rejectFeed?(of: { feedId: string }): Promise<void>;

  /**
   * A bank link is started but not completed; the bank must show these accounts, up to 20. With
   * `--writes`, the run also completes links by PATCH.
   */
  startLink?(what: { accounts: readonly BankShows[] }): Promise<{ bankLinkId: string }>;
  /**
   * The cardholder finishes the hosted flow of a started link. The provider's notification arrives,
   * or it is lost and only polling detects the completion. Returns the bank accounts in the order
   * given to `startLink`. If the link is not complete yet, they are empty, and `retryAfterSeconds`
   * says when the polling is due: the suite advances the clock or waits, and calls the verb again.
   * The verb must accept a complete link, which it doesn't change.
   */
  completeLink?(what: {
    bankLinkId: string;
    by: "notification" | "polling";
  }): Promise<{ bankAccountIds: readonly string[]; retryAfterSeconds?: number }>;
  /** The consent to an active bank account is about to expire. */
  expireConsent?(of: { bankAccountId: string }): Promise<void>;
  /** The connection to a bank account is lost. */
  disconnect?(of: { bankAccountId: string }): Promise<void>;
  /** The connection to a bank account is back. */
  recover?(of: { bankAccountId: string }): Promise<void>;

  /**
   * A card is used: an approved authorization, today. The card's subscription is `active`, and not
   * of type `bank-feed`: no network reports such a card. The card needs no bank account.
   *
   * - `currency`, a wish: the currency of `amount`. The cardholder is billed in EUR. Default: EUR.
   */
  authorize?(what: {
    cardId: string;
    amount: number;
    merchant: string;
    currency?: string;
  }): Promise<{ transactionId: string; messageId: string }>;
  /** The network clears `amount` of a purchase, in its currency. Default: the uncleared rest. */
  clear?(what: { transactionId: string; amount?: number }): Promise<{ messageId: string }>;
  /**
   * The bank posts a movement, today, on a connected account. Without `merchant`, its text names
   * none. If the connection is lost, the target may refuse, or sync the posting after the recovery.
   *
   * - With `transactionId`, it is the debit of that purchase or a part of it, cleared or not, and
   *   must match it with high confidence. The purchase's card is linked to the account.
   * - Without, it must match nothing in the feed. If the account has cards, the movement belongs to
   *   the oldest linked one: the one that was linked first, by `completeLink` or `linkCard`.
   * - `type`, a wish: `credit` for a refund, which must match nothing. Default: `debit`.
   * - `pending`, a wish: the bank shows the posting but has not booked it yet. Default: false.
   */
  postAtBank?(what: {
    bankAccountId: string;
    amount: number;
    merchant?: string;
    transactionId?: string;
    type?: "debit" | "credit";
    pending?: boolean;
  }): Promise<{ bankTransactionId: string }>;
  /**
   * Delivers card data for a purchase that the bank has already posted. The card is active and
   * linked to the posting's account; the posting has no match.
   *
   * - `confidence`, a wish: of the match, or `NONE` for card data that must not match it. To
   *   achieve it, the driver may deviate from `amount` and `merchant`. Default: any.
   *
   * Returns as `confidence` what the target is expected to find; omitted if that is unknown.
   */
  tellLate?(what: {
    cardId: string;
    bankTransactionId: string;
    amount: number;
    merchant: string;
    confidence?: ExpectedConfidence;
  }): Promise<{ transactionId: string; confidence?: ExpectedConfidence }>;
  /** The provider removes a bank transaction. */
  removeAtProvider?(of: { bankTransactionId: string }): Promise<void>;
  /** One of two equal postings is detected as a duplicate and retired. */
  retireDuplicate?(of: { bankTransactionId: string }): Promise<void>;
  /** A matched purchase is forcibly rematched. */
  rematch?(of: { transactionId: string }): Promise<void>;
  /** Merchant data is found for a message. */
  enrich?(of: { messageId: string }): Promise<void>;

  /**
   * Keeps the target's whole state, with its clock and its subscribed URLs, under a name of up to
   * 64 of a-z, 0-9 and -. Only `--explore` uses it, to go back instead of creating new resources.
   */
  snapshot?(as: { name: string }): Promise<void>;
  /** Restores a state as often as wanted. Nothing that was due before is delivered after it. */
  restore?(to: { name: string }): Promise<void>;
}

/** The confidence of an expected match; `NONE` if no match is expected. */
export type ExpectedConfidence = "HIGH" | "MEDIUM" | "LOW" | "NONE";

export interface EnrolledCard {
  readonly subscriptionId: string;
  readonly cardId: string;
  /** The last 4 digits of its number, which a bank account may share. */
  readonly last4: string;
}

/** A bank account as its bank shows it. */
export interface BankShows {
  readonly type: "credit" | "depository";
  /** Its mask. Default: a mask that matches no enrolled card. */
  readonly last4?: string;
  /** A wish: the network code of the card that the completion creates for a credit account. */
  readonly network?: string;
}

export type Verb = keyof Driver;

/** The parameter of a verb; undefined if it has none. */
export type VerbParams<V extends Verb> = Parameters<NonNullable<Driver[V]>>[0];

/** The result of a verb. */
export type VerbResult<V extends Verb> = Awaited<ReturnType<NonNullable<Driver[V]>>>;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const FITS = {
  "an id": isText,
  "four digits": (value: unknown) => /^\d{4}$/.test(String(value)) && typeof value === "string",
  "a list of ids": (value: unknown) => Array.isArray(value) && value.every(isText),
};

/** The required fields of each verb's result. */
export const RESULT_FIELDS: {
  readonly [V in Verb]: { readonly [Field in keyof VerbResult<V>]?: keyof typeof FITS };
} = {
  subscribe: {},
  unsubscribe: {},
  settle: {},
  advance: {},
  enroll: { subscriptionId: "an id", cardId: "an id", last4: "four digits" },
  clearSca: {},
  deactivate: {},
  upgrade: {},
  linkCard: {},
  submitFeed: { feedId: "an id" },
  acceptFeed: { subscriptionIds: "a list of ids" },
  rejectFeed: {},
  startLink: { bankLinkId: "an id" },
  completeLink: { bankAccountIds: "a list of ids" },
  expireConsent: {},
  disconnect: {},
  recover: {},
  authorize: { transactionId: "an id", messageId: "an id" },
  clear: { messageId: "an id" },
  postAtBank: { bankTransactionId: "an id" },
  tellLate: { transactionId: "an id" },
  removeAtProvider: {},
  retireDuplicate: {},
  rematch: {},
  enrich: {},
  snapshot: {},
  restore: {},
};

/** All verbs. */
export const verbs = Object.keys(RESULT_FIELDS) as Verb[];

/** What of a verb's result is not as the types say, a line each. */
export function shapeProblems(verb: Verb, result: unknown): string[] {
  const fields = Object.entries<keyof typeof FITS>(RESULT_FIELDS[verb]);
  if (fields.length === 0) return [];
  if (typeof result !== "object" || result === null) {
    const actual = result === undefined ? "nothing" : JSON.stringify(result);
    return [`it returned ${actual} instead of { ${fields.map(([name]) => name).join(", ")} }`];
  }
  return fields.flatMap(([name, kind]) => {
    const value = memberOf(result, name);
    if (FITS[kind](value)) return [];
    const actual = value === undefined ? "missing" : JSON.stringify(value);
    return [`its result's ${name} is ${actual} instead of ${kind}`];
  });
}

/**
 * Loads the driver from an imported module. The default export is a driver, or a function that
 * takes the context and returns a driver or a promise of one. Compilers and bundlers may nest the
 * default export in another one.
 *
 * @returns Resolves to the driver. Rejects with a one-line TxfeedError `usage` if there is no
 * driver, a verb is not a function, or a member is not a verb.
 */
export async function loadDriver(module: object, context: DriverContext): Promise<Driver> {
  if (!("default" in module)) throw refusal("it has no default export");
  let given: unknown = module;
  while (typeof given === "object" && given !== null && "default" in given) given = given.default;
  if (given === undefined) throw refusal("it has no default export");
  const baseUrl = context.baseUrl.replace(/(?<!\/)\/+$/, "");
  const driver = typeof given === "function" ? await makeBy(given, { ...context, baseUrl }) : given;
  if (typeof driver !== "object" || driver === null) {
    throw refusal("its default export is neither a driver nor a function that returns one");
  }
  for (const name of membersOf(driver)) {
    if (!verbs.includes(name as Verb)) {
      const advice = suggestion(name, verbs, `the verbs are ${verbs.join(", ")}`);
      throw refusal(`there is no verb "${name}"; ${advice}`);
    }
    const verb = (driver as Driver)[name as Verb];
    if (verb !== undefined && typeof verb !== "function") {
      throw refusal(`its verb ${name} is not a function`);
    }
  }
  return driver as Driver;
}

// biome-ignore lint/complexity/noBannedTypes: the module may export any function
async function makeBy(make: Function, context: DriverContext): Promise<unknown> {
  try {
    return await make(context);
  } catch (error) {
    throw refusal(`it can't be created: ${reasonOf(error).split("\n")[0]}`);
  }
}

/** A plain object's own members, or a class instance's verbs: it may have other members. */
function membersOf(driver: object): string[] {
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(driver));
  if (isPlain) return Object.keys(driver);
  return verbs.filter((verb) => verb in driver);
}

function refusal(reason: string): TxfeedError {
  return new UsageError(`the driver can't be used: ${reason}`);
}
