import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../transport/exchange.ts";
import { feedOf } from "./crawl.ts";
import type { Feed } from "./feed.ts";
import { bankTransactionIn, bankTransactionsIn, itemsOf, textOf } from "./items.ts";
import { type Observation, observationsOf } from "./observations.ts";
import { MAX_RECHECKS, Recheck } from "./recheck.ts";
import { sample } from "./sample.ts";
import { BANK_TRANSACTION, fetchFrom, pathTo, SubaccountIndex } from "./subaccount-index.ts";

/** Something that names a bank transaction by its id. */
interface Reference {
  readonly id: string;
  /** Whether it is of what only a bank saw. */
  readonly isBankOnly: boolean;
  /** What names it, and where in it, as a JSON pointer. */
  readonly by: Exchange;
  readonly at: string;
}

/** What became of asking for a bank transaction by its join key. */
type Resolution =
  | { readonly kind: "found"; readonly exchange: Exchange }
  /** Another bank transaction was answered. */
  | { readonly kind: "other"; readonly exchange: Exchange; readonly got: string }
  /** It is not there, though nothing speaks against its having been there and been removed. */
  | { readonly kind: "gone"; readonly exchange: Exchange }
  /** It is not there, though it is listed; or the server failed over it. */
  | { readonly kind: "missing"; readonly exchange: Exchange }
  /** Where it is could not be told, or what named it does so no longer. */
  | { readonly kind: "open" };

export interface Resolved {
  readonly naming: Reference;
  readonly resolution: Resolution;
}

/** So many join keys are followed. */
const MOST_KEYS = 150;

/** The bank transactions that messages name, asked for by their join key (MSG-11). */
export function messageKeysOf(session: Session): Promise<readonly Resolved[]> {
  return session.share("join keys of messages", async (own) => {
    const { messages, projections } = await observationsOf(session);
    return resolve(own, [
      ...messages.flatMap((one) => namingIn(one, one.body)),
      ...projections.flatMap((one) => namingIn(one, one.transaction.body)),
    ]);
  });
}

/** The bank transactions that matches name, asked for by their join key (MAT-04). */
export function matchKeysOf(session: Session): Promise<readonly Resolved[]> {
  return session.share("join keys of matches", async (own) => {
    const { matches } = await observationsOf(session);
    return resolve(
      own,
      matches.flatMap(({ body, at, exchange }) =>
        bankTransactionsIn(body).map((id) => {
          return { id, isBankOnly: false, by: exchange, at: `${at}/matches` };
        }),
      ),
    );
  });
}

function namingIn({ body, at, exchange }: Observation, owner: unknown): Reference[] {
  const id = bankTransactionIn(body);
  // Without its subaccount it has no address.
  if (id === undefined || textOf(owner, "subaccountId") === undefined) return [];
  const isBankOnly = memberOf(body, "network") === "OPEN_BANKING";
  return [{ id, isBankOnly, by: exchange, at: `${at}/bankData/bankTransactionId` }];
}

async function resolve(session: Session, namings: readonly Reference[]): Promise<Resolved[]> {
  const feed = await feedOf(session);
  const each = [...new Map(namings.map((naming) => [naming.id, naming])).values()];
  const desk = new Resolver(session, feed);
  return Promise.all(
    sample(each, MOST_KEYS).map(async (naming) => {
      return { naming, resolution: await desk.resolve(naming) };
    }),
  );
}

/** Answers for ids where the bank transactions are. */
class Resolver {
  readonly #session: Session;
  readonly #feed: Feed;
  readonly #atlas: SubaccountIndex;
  readonly #look: Recheck;
  /** The page that each stands on. */
  readonly #listed: ReadonlyMap<string, Exchange>;
  #suspects = 0;

  constructor(session: Session, feed: Feed) {
    this.#session = session;
    this.#feed = feed;
    this.#atlas = new SubaccountIndex(feed);
    this.#look = new Recheck(session);
    this.#listed = new Map(
      itemsOf(feed, BANK_TRANSACTION).flatMap(({ body, exchange }) => {
        const id = textOf(body, "id");
        return id === undefined ? [] : [[id, exchange] as const];
      }),
    );
  }

  async resolve({ id, by }: Reference): Promise<Resolution> {
    const { subaccounts, isTold } = this.#atlas.whereabouts(id);
    let last: Exchange | undefined;
    for (const subaccountId of subaccounts) {
      const exchange = await this.#ask(subaccountId, id);
      if (exchange?.response?.status === 200) return judged(exchange, id);
      last = exchange ?? last;
    }
    // Where it is said nowhere, it may be in a subaccount that was not asked.
    if (!last || !isTold) return { kind: "open" };
    return this.#confirm(last, id, by);
  }

  /** Looks again at what is not there, and at what names it. */
  async #confirm(exchange: Exchange, id: string, by: Exchange): Promise<Resolution> {
    this.#suspects += 1;
    if (this.#suspects > MAX_RECHECKS) return { kind: "open" };
    const [second, carrier] = await Promise.all([this.#look.fetch(exchange), this.#look.fetch(by)]);
    if (!second || !carrier?.response?.body.includes(id)) return { kind: "open" };
    if (second.response?.status === 200) return judged(second, id);
    const status = second.response?.status ?? 0;
    if (status === 429) return { kind: "open" };
    const isRefused = status >= 400 && status < 500;
    const kind = isRefused && !(await this.#isListed(id)) ? "gone" : "missing";
    return { kind, exchange: second };
  }

  /** Whether it is listed still: it may have been removed since the list was walked. */
  async #isListed(id: string): Promise<boolean> {
    const page = this.#listed.get(id);
    const again = page && (await this.#look.fetch(page));
    return again?.response?.body.includes(id) ?? false;
  }

  async #ask(subaccountId: string, id: string): Promise<Exchange | undefined> {
    const known = this.#feed.at(pathTo(BANK_TRANSACTION, subaccountId, id));
    if (known) return known.exchange;
    try {
      return await fetchFrom(this.#session, BANK_TRANSACTION, subaccountId, id);
    } catch (error) {
      if (error instanceof Skip) return undefined;
      throw error;
    }
  }
}

function judged(exchange: Exchange, id: string): Resolution {
  const got = textOf(exchange.response?.json, "id");
  // That it has no id at all, its shape tells (EP-10).
  if (got === undefined || got.toLowerCase() === id.toLowerCase()) {
    return { kind: "found", exchange };
  }
  return { kind: "other", exchange, got };
}
