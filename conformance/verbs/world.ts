import type { Situation } from "../../generated/requirements.ts";
import type { Networks } from "../../src/contract/networks.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import {
  findEvents,
  hidesSource,
  messagesIn,
  messagesNaming,
  type Sample,
  textAt,
} from "../observe/deliveries/find.ts";
import { isForSecondSubscription } from "../observe/deliveries/reading.ts";
import { bankTransactionIn, isBankOnly, listAt, messageIdsOf } from "../observe/feed.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { emptyModel, type Model } from "./model.ts";
import { cardOf, type Ids, type Name, type Step } from "./step.ts";

/** A match that was announced and not retracted. */
interface LiveMatch {
  readonly delivery: Delivery;
  readonly bankTransactionIds: readonly string[];
  readonly cardTransactionId: string;
  readonly confidence: string;
}

/** How a delivery shows that a step has taken effect. */
export interface Later {
  /** The ids that it gives to the name of the step; undefined if it does not show the effect. */
  readonly shownBy: (delivery: Delivery) => Ids | undefined;
  /** The situations in which the claims of the step's events are then decided. */
  readonly in: readonly Situation[];
}

/** A step whose effect may come later. */
interface LaterStep extends Later {
  readonly step: Step;
}

/** What a script has created so far: the model, and what the target sent about it. */
export class World {
  model: Model = emptyModel();
  /** By name, in the order of creation. */
  readonly ids = new Map<Name, Ids>();
  /** The deliveries about the script's resources, in order of arrival. */
  readonly deliveries: Delivery[] = [];
  /** All announced matches, by id: those that were retracted, too. */
  readonly announced = new Map<string, LiveMatch>();
  /** The ids of the matches that were retracted. */
  readonly retracted = new Set<string>();
  /** The latest event of each subscription and transaction, by id. */
  readonly latest = new Map<string, Delivery>();
  /** The steps whose effect has not come yet. */
  pending: readonly LaterStep[] = [];
  /** The API's latest view of each transaction, by id, and how often a step has changed it. */
  readonly shown = new Map<string, { readonly view: Exchange; readonly changes: number }>();
  /** The ids that deliveries about the script may mention. */
  readonly known = new Set<string>();
  /** The ids that this script has from the one that it continues. */
  inherited: ReadonlySet<string> = new Set();
  /** The ids of the other scripts that continue the same one. */
  foreign = new Set<string>();
  readonly capabilities: Capabilities;
  subaccountId: string | undefined;
  /** The deliveries of the whole run that were read: later ones may be about this script. */
  heard: readonly Delivery[] = [];
  /** Only after a restore: the deliveries of the run before it, parted at each restore. */
  earlier: Sample | undefined;

  constructor(capabilities: Capabilities) {
    this.capabilities = capabilities;
  }

  /** The codes of the card networks. */
  get networks(): Networks {
    return this.capabilities.networks;
  }

  /** Whether the driver can advance the clock, so that an effect that comes later is owed now. */
  get canAdvance(): boolean {
    return this.capabilities.verbs.includes("advance");
  }

  /** The announced matches that were not retracted, by id. Its retraction may overtake a match. */
  get matches(): ReadonlyMap<string, LiveMatch> {
    return new Map([...this.announced].filter(([id]) => !this.retracted.has(id)));
  }

  /** A copy, to continue a script in two ways. */
  copy(): World {
    return Object.assign(new World(this.capabilities), this, {
      ...{ ids: new Map(this.ids), deliveries: [...this.deliveries] },
      ...{ announced: new Map(this.announced), retracted: new Set(this.retracted) },
      ...{ latest: new Map(this.latest), shown: new Map(this.shown), known: new Set(this.known) },
    });
  }

  /** A copy for one of several scripts that continue this one. */
  continued(): World {
    const copy = this.copy();
    copy.inherited = new Set(this.known);
    return copy;
  }

  /** Ends a continued script: the next ones ignore its resources. */
  end(): void {
    for (const id of this.known) if (!this.inherited.has(id)) this.foreign.add(id);
  }

  /** The deliveries that show whether the sender repeats some. */
  get sample(): Sample {
    return this.earlier ? [...this.earlier, this.deliveries] : [this.heard];
  }

  /** Gives a name to a resource. */
  bind(name: Name, ids: Ids): void {
    this.ids.set(name, { ...this.ids.get(name), ...ids });
    const { last4, ...known } = ids;
    for (const id of Object.values(known)) this.known.add(id.toLowerCase());
  }

  /** The ids of a name. Scripts use only names that are bound. */
  idsOf(name: Name): Required<Ids> {
    return (this.ids.get(name) ?? {}) as Required<Ids>;
  }

  /** The name of a resource by one of its ids. */
  nameOf(field: keyof Ids, id: string | undefined): Name | undefined {
    const isNamed = ([, ids]: readonly [Name, Ids]) => id !== undefined && ids[field] === id;
    return [...this.ids].find(isNamed)?.[0];
  }

  /** Adds those of new deliveries that are about the script's resources, and returns them. */
  take(deliveries: readonly Delivery[]): Delivery[] {
    const own: Delivery[] = [];
    let rest = deliveries.filter((one) => !isForSecondSubscription(one));
    // A delivery may name a resource that only a later one connects with the script.
    for (let before = -1; before !== own.length; ) {
      before = own.length;
      const others: Delivery[] = [];
      for (const delivery of rest) {
        if (!this.isAbout(delivery)) others.push(delivery);
        else {
          own.push(delivery);
          for (const id of ownIdsOf(delivery.json)) this.known.add(id.toLowerCase());
        }
      }
      rest = others;
    }
    own.sort((one, other) => one.nr - other.nr);
    this.deliveries.push(...own);
    for (const delivery of own) this.#note(delivery);
    return own;
  }

  /** Whether a delivery may be about a resource of the script. */
  isAbout({ name, json, request }: Delivery): boolean {
    // The shape of an enrichment is open (ENR-02).
    if (name === "enrichment.merchant.created") return true;
    // An abridged bank-only message mentions nothing that connects it with the script.
    if (isBankOnly(json) && hidesSource(json)) return true;
    // Scripts that continue the same one share its cards and accounts.
    let isShared = false;
    let isForeign = false;
    for (const [match] of request.body.matchAll(UUID)) {
      const id = match.toLowerCase();
      if (this.known.has(id) && !this.inherited.has(id)) return true;
      isShared ||= this.known.has(id);
      isForeign ||= this.foreign.has(id);
    }
    return isShared && !isForeign;
  }

  #note(delivery: Delivery): void {
    const { name, json } = delivery;
    this.subaccountId ??= textAt(json, "/subaccountId");
    const id = textAt(json, "/id") ?? textAt(json, "/bankAccountId") ?? "";
    if (LATEST.test(name)) {
      const before = this.latest.get(id);
      const isOlder = before && updatedAt(delivery) < updatedAt(before);
      if (!isOlder) this.latest.set(id, delivery);
    }
    const matchId = textAt(json, "/matchId") ?? "";
    if (name === "transaction.match.deleted") this.retracted.add(matchId);
    if (name !== "transaction.match.created") return;
    this.announced.set(matchId, {
      delivery,
      bankTransactionIds: listAt(json, "matches").map((one) => String(memberOf(one, "id"))),
      cardTransactionId: textAt(json, "/cardTransaction/id") ?? "",
      confidence: textAt(json, "/confidence") ?? "",
    });
  }

  /**
   * Takes the steps whose effect new deliveries show, and gives their names to its ids. A link that
   * a step completes does not wait any more.
   */
  takeShown(deliveries: readonly Delivery[], by: Step): LaterStep[] {
    if (by.verb === "completeLink" && !by.isLater) {
      const isOther = ({ step }: LaterStep) => !("link" in step) || step.link !== by.link;
      this.pending = this.pending.filter(isOther);
    }
    const shown = this.pending.filter((one) => {
      const ids = deliveries.map(one.shownBy).find((found) => found !== undefined);
      if (ids && "as" in one.step) this.bind(one.step.as, ids);
      return ids !== undefined;
    });
    this.pending = this.pending.filter((one) => !shown.includes(one));
    return shown;
  }

  /** Whether an id is that of a transaction of the script, rather than of a part of one. */
  isTransaction(id: string): boolean {
    return this.latest.get(id)?.name.startsWith("transaction.") ?? false;
  }

  /** The announced matches of a bank transaction. */
  matchesOf(bankTransactionId: string): LiveMatch[] {
    return [...this.matches.values()].filter(({ bankTransactionIds }) =>
      bankTransactionIds.includes(bankTransactionId),
    );
  }

  /** The messages that the deliveries show, by id. */
  #messages(): ReadonlyMap<string, object> {
    return messagesIn(this.deliveries.map(({ json }) => json));
  }

  /** The message that a bank transaction added to a transaction, if the deliveries show it. */
  messageOf(bankTransactionId: string, transaction: unknown): string | undefined {
    const bodies = this.deliveries.map(({ json }) => json);
    const own = messageIdsOf(transaction);
    return messagesNaming(bodies, bankTransactionId).find((id) => own.includes(id));
  }

  /** Whether a message may be that of a bank transaction: no view may show its source. */
  isMessageOf(bankTransactionId: string, message: unknown): boolean {
    const whole = { ...this.#messages().get(textAt(message, "/id") ?? ""), ...Object(message) };
    return bankTransactionIn(whole) === bankTransactionId || hidesSource(whole);
  }

  /** The bank-only transactions of a bank transaction, by their latest event. */
  standalonesOf(bankTransactionId: string): Delivery[] {
    return [...this.latest.values()].filter(
      ({ json }) => isBankOnly(json) && this.bankTransactionsOf(json).includes(bankTransactionId),
    );
  }

  /** The bank transactions of a transaction's messages. */
  bankTransactionsOf(transaction: unknown): string[] {
    const messages = this.#messages();
    return messageIdsOf(transaction).flatMap((id) => bankTransactionIn(messages.get(id)) ?? []);
  }

  /** Drops the cards from the model that the target was free not to create. */
  dropUncreated(): void {
    const { cards, accounts } = this.model;
    const isCreated = (name: Name) => Boolean(this.ids.get(name)?.subscriptionId);
    const created = Object.entries(cards).filter(([name]) => isCreated(name));
    this.model = {
      ...{ ...this.model, cards: Object.fromEntries(created) },
      accounts: mapped(accounts, (account) => {
        return {
          ...account,
          cards: account.cards.filter((card) => card in cards && isCreated(card)),
        };
      }),
    };
  }

  /**
   * Adopts what the target announced where the interface leaves it open, such as a lifecycle of the
   * target's own, so that the next steps are judged by the actual state.
   */
  adopt(): void {
    const { cards, accounts, purchases } = this.model;
    const shown = (id: string, path: string) => textAt(this.latest.get(id)?.json, path) as never;
    this.model = {
      ...this.model,
      cards: mapped(cards, (card, name) => {
        const state = shown(this.idsOf(name).subscriptionId, "/state") ?? card.state;
        return { ...card, state };
      }),
      accounts: mapped(accounts, (account, name) => {
        const state = shown(this.idsOf(name).bankAccountId, "/state") ?? account.state;
        return { ...account, state };
      }),
      purchases: mapped(purchases, (purchase, name) => {
        const status = shown(this.idsOf(name).transactionId, "/status") ?? purchase.status;
        return { ...purchase, status };
      }),
    };
  }
}

function mapped<T>(all: Record<Name, T>, to: (one: T, name: Name) => T): Record<Name, T> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, to(one, name)]));
}

const LATEST = /^(?:cardsubscription|transaction)\.(?:created|updated)$|^bankaccount\./;
const UUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

function updatedAt({ json }: Delivery): string {
  return textAt(json, "/updatedAt") ?? "";
}

/** The ids in a delivery that belong to one script only, unlike those of its subaccount. */
function ownIdsOf(json: unknown): string[] {
  const texts = (body: unknown, ...places: readonly string[]) =>
    places.flatMap((place) => textAt(body, place) ?? []);
  const accounts = listAt(json, "bankAccounts").flatMap((account) => [
    ...texts(account, "/id"),
    ...listAt(account, "cards").flatMap((card) => texts(card, "/id", "/subscriptionId")),
  ]);
  const own = texts(json, "/id", "/matchId", "/bankData/bankTransactionId");
  return [...own, ...accounts, ...messageIdsOf(json)];
}

const ID_FIELDS = [
  ...(["subscriptionId", "cardId", "last4", "feedId", "bankLinkId"] as const),
  ...(["transactionId", "messageId", "bankTransactionId"] as const),
];

/** The ids in a verb's result, which may have more fields. */
export function idsIn(result: unknown): Ids {
  const fields = ID_FIELDS.map((name) => [name, memberOf(result, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => typeof value === "string"));
}

/**
 * Binds the accounts of a link whose completion was detected later: the verb returned none. The
 * order of the accounts in the event is open, so type and digits identify them.
 */
export function bindShownAccounts(world: World, link: Name): void {
  const { bankLinkId } = world.idsOf(link);
  const completion = { "/bankLinkId": bankLinkId };
  const [event] = findEvents(world.deliveries, "banklink.completed", completion);
  const shown = new Set(listAt(event?.json, "bankAccounts"));
  for (const { as, type, card } of world.model.links[link]?.accounts ?? []) {
    if (world.ids.has(as)) continue;
    const last4 = card && world.idsOf(card).last4;
    const own = [...shown].find(
      (one) =>
        (textAt(one, "/type") === "credit") === (type === "credit") &&
        (last4 === undefined || textAt(one, "/mask") === last4),
    );
    const bankAccountId = textAt(own, "/id");
    if (bankAccountId === undefined) continue;
    shown.delete(own);
    world.bind(as, { bankAccountId });
  }
}

/** Binds the cards that a completion or a feed created, which only events name. */
export function bindCreatedCards(world: World): void {
  for (const { name, json } of world.deliveries) {
    if (name !== "cardsubscription.created") continue;
    const [subscriptionId, cardId] = [textAt(json, "/id"), textAt(json, "/cardId")];
    if (subscriptionId === undefined || cardId === undefined) continue;
    const known = world.nameOf("subscriptionId", subscriptionId);
    const account = world.nameOf("bankAccountId", textAt(json, "/bankAccountId"));
    const minted = account && cardOf(account);
    const isBankFeed = textAt(json, "/enrollmentType") === "bank-feed";
    if (known !== undefined) world.bind(known, { cardId });
    else if (minted && isBankFeed && !world.ids.has(minted)) {
      world.bind(minted, { subscriptionId, cardId });
    }
  }
}
