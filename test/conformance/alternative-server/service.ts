import type { Driver } from "../../../conformance/driver.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import * as bodies from "./bodies.ts";
import { inCents } from "./bodies.ts";
import { Enrollment, found, needed, refuseUnless } from "./enrollment.ts";

/**
 * Purchases, postings and matches, by the interface's state tables and its rules for transaction
 * events. It matches at once instead of on a schedule.
 */
export class Service extends Enrollment {
  authorize({ cardId, amount, merchant }: { cardId: string; amount: number; merchant: string }) {
    const { state, type } = this.subscriptionOf(cardId);
    refuseUnless(state === "active" && type !== "bank-feed", "the card is not in use");
    const { id, messages } = this.#purchase(cardId, amount, merchant);
    return { transactionId: id, messageId: needed(messages[0]).id };
  }

  clear({ transactionId, amount }: { transactionId: string; amount?: number }) {
    const purchase = found(this.state.purchases, transactionId);
    const { reference, approvalCode, traceId } = needed(purchase.messages[0]);
    const cleared = purchase.messages.filter(isClearing);
    const rest = cleared.reduce(
      (cents, one) => cents - inCents(one.amount),
      inCents(purchase.amount),
    );
    refuseUnless(rest > 0, "all is cleared");
    const cents = amount === undefined ? rest : inCents(amount);
    const message = this.#add(purchase, {
      ...{ type: "FINL_ADVC", amount: cents / 100, reference, approvalCode, traceId },
    });
    const provisional = purchase.messages.filter(
      ({ id, posting }) => posting && !purchase.superseded.includes(id),
    );
    const same = provisional.find((one) => inCents(one.amount) === cents);
    const whole = provisional.find((one) => inCents(one.amount) >= inCents(purchase.amount));
    const replaced = cents >= rest ? provisional : [same ?? whole].filter((one) => !!one);
    purchase.superseded.push(...replaced.map(({ id }) => id));
    if (cents >= rest || !this.choices.pendingParts) purchase.status = "SETTLED";
    this.#update(purchase);
    for (const one of this.state.waiting.filter((it) => it.purchase === purchase && !it.atMs)) {
      if (inCents(one.posting.amount) === cents) this.#end(one);
    }
    return { messageId: message.id };
  }

  postAtBank(what: Parameters<NonNullable<Driver["postAtBank"]>>[0]) {
    const { bankAccountId, amount, merchant = null, transactionId } = what;
    const wishes: Pick<typeof what, "type" | "pending"> = this.choices.ignoresWishes ? {} : what;
    const { type = "debit", pending = false } = wishes;
    const account = found(this.state.accounts, bankAccountId);
    refuseUnless(account.state === "active", "the account is not connected");
    const id = this.id();
    const date = this.time().slice(0, 10);
    const posting = { id, account, amount, merchant, date, type, pending };
    this.state.postings.push(posting);
    this.happens.emit("banktransaction.created", bodies.postingBody(posting));
    const isMovement = !pending && (type === "debit" || this.choices.creditsAreMovements);
    if (!isMovement) return { bankTransactionId: id };
    const purchase = transactionId && found(this.state.purchases, transactionId);
    if (!purchase || this.#waitsForLeg(purchase, posting)) this.#standalone(posting);
    else this.#settle(purchase, posting);
    return { bankTransactionId: id };
  }

  #waitsForLeg(purchase: bodies.Purchase, posting: bodies.Posting): boolean {
    const isPart = inCents(posting.amount) < inCents(purchase.amount);
    const waits = this.choices.waitsForLegs && isPart && !legOf(purchase, posting);
    if (waits) this.state.waiting.push({ purchase, posting, confidence: "HIGH" });
    return waits ?? false;
  }

  tellLate(what: Parameters<NonNullable<Driver["tellLate"]>>[0]) {
    const { cardId, bankTransactionId, amount, merchant } = what;
    const posting = found(this.state.postings, bankTransactionId);
    const purchase = this.#purchase(cardId, amount, merchant);
    const isEqual = inCents(amount) === inCents(posting.amount);
    const { unequal = "NONE", matchesLate } = this.choices;
    const confidence = what.confidence ?? (isEqual ? "HIGH" : unequal);
    if (confidence !== "NONE") {
      const atMs = this.happens.now() + (matchesLate ? LATE_MS : 0);
      this.state.waiting.push({ purchase, posting, confidence, atMs });
    }
    this.runDue();
    return { transactionId: purchase.id, confidence };
  }

  /** Makes the matches that are due. */
  runDue() {
    const now = this.happens.now();
    for (const one of this.state.waiting.filter(({ atMs }) => atMs && atMs <= now)) this.#end(one);
  }

  /** Matches a posting that has waited, unless it was removed or has another match. */
  #end(waiting: Enrollment["state"]["waiting"][number]) {
    this.state.waiting = this.state.waiting.filter((one) => one !== waiting);
    const { purchase, posting, confidence } = waiting;
    const isMatched = this.state.matches.some((one) => one.posting === posting);
    if (isMatched || !this.state.postings.includes(posting)) return;
    if (confidence === "HIGH") this.#settle(purchase, posting);
    else this.#match(purchase, posting, confidence);
    this.#net(posting);
  }

  removeAtProvider({ bankTransactionId }: { bankTransactionId: string }) {
    this.#remove(bankTransactionId, "provider_removed");
  }

  retireDuplicate({ bankTransactionId }: { bankTransactionId: string }) {
    this.#remove(bankTransactionId, "duplicate_retired");
  }

  rematch({ transactionId }: { transactionId: string }) {
    const own = this.state.matches.filter(({ purchase }) => purchase.id === transactionId);
    refuseUnless(own.length > 0, "there is no match");
    for (const match of own) {
      this.#retract(match, "rematch_superseded");
      if (!this.choices.rematchesNothing) this.#announce({ ...match, id: this.id() });
    }
  }

  enrich({ messageId }: { messageId: string }) {
    const body = bodies.enrichmentBody(this.id(), messageId, this.time());
    this.happens.emit("enrichment.merchant.created", body);
  }

  #purchase(cardId: string, amount: number, descriptor: string): bodies.Purchase {
    const { network } = this.subscriptionOf(cardId);
    const isC = network === DEFAULT_NETWORKS.c;
    const purchase = this.#begin({ cardId, network, amount, descriptor, status: "PENDING" });
    this.#add(purchase, {
      ...{ type: "AUTH_REQU", amount, reference: `ref ${this.next()}` },
      ...(isC ? { traceId: `00${this.next()}` } : { approvalCode: `A${this.next()}` }),
    });
    this.happens.emit("transaction.created", bodies.transactionBody(purchase, this.owner));
    return purchase;
  }

  #standalone(posting: bodies.Posting) {
    const linked = this.state.subscriptions.filter(
      ({ bankAccountId }) => bankAccountId === posting.account.id,
    );
    const [oldest] = linked.toSorted((one, other) => one.linkedNr - other.linkedNr);
    const { id: standaloneOf, amount } = posting;
    const purchase = this.#begin({
      ...{ cardId: oldest?.cardId ?? null, network: OPEN_BANKING, amount, standaloneOf },
      ...{ descriptor: posting.merchant ?? "a debit", status: "SETTLED" },
    });
    this.#add(purchase, { type: "FINL_ADVC", amount, reference: `bank_${posting.id}`, posting });
    this.happens.emit("transaction.created", bodies.transactionBody(purchase, this.owner));
  }

  #begin(
    own: Pick<bodies.Purchase, "cardId" | "network" | "amount" | "descriptor" | "status"> & {
      standaloneOf?: string;
    },
  ): bodies.Purchase {
    const time = { createdAt: this.time(), updatedAt: this.time() };
    const lists = { messages: [], superseded: [], isNetted: false };
    const purchase = { id: this.id(), ...own, ...lists, ...time };
    this.state.purchases.push(purchase);
    return purchase;
  }

  /** Adds the bank's message to a purchase. It is a duplicate if its part has cleared. */
  #settle(purchase: bodies.Purchase, posting: bodies.Posting) {
    const { messages, superseded } = purchase;
    const { reference, approvalCode, traceId } = needed(messages[0]);
    const cents = inCents(posting.amount);
    const cleared = messages.filter(isClearing).map((one) => inCents(one.amount));
    const all = cleared.reduce((sum, one) => sum + one, 0);
    const isDuplicate = cleared.includes(cents) || all >= inCents(purchase.amount);
    const isPart = cents < inCents(purchase.amount);
    if (isDuplicate && this.choices.hidesDuplicates) {
      const leg = isPart && legOf(purchase, posting);
      this.#match(purchase, posting, "HIGH", leg ? leg.id : purchase.id);
      return;
    }
    const message = this.#add(purchase, {
      ...{ type: "FINL_ADVC", amount: posting.amount, posting },
      ...{ reference, approvalCode, traceId },
    });
    if (isDuplicate) superseded.push(message.id);
    purchase.status = "SETTLED";
    this.#match(purchase, posting, "HIGH", isPart ? message.id : purchase.id);
    this.#update(purchase);
  }

  #match(
    purchase: bodies.Purchase,
    posting: bodies.Posting,
    confidence: bodies.Match["confidence"],
    cardTransactionId = purchase.id,
  ) {
    this.#announce({ id: this.id(), purchase, posting, confidence, cardTransactionId });
  }

  #announce(match: bodies.Match) {
    this.state.matches.push(match);
    this.happens.emit("transaction.match.created", bodies.matchBody(match));
  }

  #net(posting: bodies.Posting) {
    const own = this.state.purchases.find(({ standaloneOf }) => standaloneOf === posting.id);
    if (!own || own.isNetted) return;
    own.isNetted = true;
    if (this.choices.supersedesNetted) own.superseded.push(...own.messages.map(({ id }) => id));
    this.#update(own);
  }

  #remove(id: string, reason: string) {
    const posting = this.state.postings.find((one) => one.id === id);
    if (!this.isChange(posting !== undefined) || !posting) return;
    this.state.postings = this.state.postings.filter((one) => one !== posting);
    const body = { id, bankAccountId: posting.account.id, deletedAt: this.time(), reason };
    this.happens.emit("banktransaction.deleted", body, id);
    const own = this.state.matches.filter((match) => match.posting.id === id);
    for (const match of own) this.#retract(match, "bank_transaction_retired");
  }

  #retract(match: bodies.Match, reason: string) {
    this.state.matches = this.state.matches.filter((one) => one !== match);
    const { id: matchId, posting, cardTransactionId } = match;
    const body = { matchId, bankTransactionId: posting.id, cardTransactionId, reason };
    this.happens.emit("transaction.match.deleted", body, posting.id);
    if (this.choices.reopens && reason === "bank_transaction_retired") this.#reopen(match);
  }

  /** The bank's message no longer counts, so a purchase may be PENDING again. */
  #reopen({ purchase, posting }: bodies.Match) {
    const { messages, superseded } = purchase;
    const own = messages.find((one) => one.posting?.id === posting.id);
    if (!own || superseded.includes(own.id)) return;
    superseded.push(own.id);
    const isSettled = messages.some(({ id, type }) => {
      return type === "FINL_ADVC" && !superseded.includes(id);
    });
    purchase.status = isSettled ? "SETTLED" : "PENDING";
    this.#update(purchase);
  }

  #add(
    purchase: bodies.Purchase,
    { approvalCode = null, traceId = null, ...own }: NewMessage,
  ): bodies.Message {
    const dateTime = this.time().slice(0, -1);
    const message = { id: this.id(), approvalCode, traceId, dateTime, ...own };
    purchase.messages.push(message);
    const body = bodies.messageBody(message, purchase, this.owner);
    this.happens.emit("transactionmessage.created", body);
    return message;
  }

  #update(purchase: bodies.Purchase) {
    purchase.updatedAt = this.time();
    this.happens.emit("transaction.updated", bodies.transactionBody(purchase, this.owner));
  }
}

type NewMessage = Pick<bodies.Message, "type" | "amount" | "reference" | "posting"> &
  Partial<Pick<bodies.Message, "approvalCode" | "traceId">>;

/** How late the first schedule of re-matching is. */
const LATE_MS = 7_200_000;

/** The clearing of a posting's part. */
const legOf = ({ messages }: bodies.Purchase, { amount }: bodies.Posting) =>
  messages.find((one) => isClearing(one) && inCents(one.amount) === inCents(amount));

const isClearing = ({ type, posting }: bodies.Message) => type === "FINL_ADVC" && !posting;
