import { type Account, drawAccount, drawCents, drawForeign } from "./account.ts";
import { dayOf, isWeekend, postingDay } from "./calendar.ts";
import { drawPrice } from "./merchants.ts";
import { drawOutcome, type Outcome } from "./outcome.ts";
import { Random } from "./random.ts";
import type { Case, Corpus, MovementRecord, PurchaseRecord } from "./record.ts";
import { descriptorOf, providerName, type Sign, statementText } from "./texts.ts";

const DAYS = 61;

interface Size {
  readonly accounts: number;
}

/** Draws a feed: accounts with two months of purchases, and their bank movements. */
export function generateCorpus(seed: number, { accounts }: Size = { accounts: 27 }): Corpus {
  const random = new Random(seed);
  const feeds = Array.from({ length: accounts }, (_, number) => {
    const feed = new Feed(random, drawAccount(random, number));
    feed.run();
    return feed;
  });
  return {
    purchases: feeds.flatMap(({ purchases }) => purchases.toSorted(byDayAndId)),
    movements: feeds.flatMap(({ movements }) => movements.toSorted(byDayAndId)),
  };
}

interface Dated {
  readonly day: string;
  readonly id: string;
}

// Ids are random, so that their order carries no information.
function byDayAndId(a: Dated, b: Dated): number {
  return `${a.day}${a.id}` < `${b.day}${b.id}` ? -1 : 1;
}

interface Trip {
  readonly from: number;
  readonly to: number;
}

class Feed {
  readonly purchases: PurchaseRecord[] = [];
  readonly movements: MovementRecord[] = [];
  readonly #random: Random;
  readonly #account: Account;
  readonly #ids = new Set<string>();

  constructor(random: Random, account: Account) {
    this.#random = random;
    this.#account = account;
  }

  run(): void {
    const random = this.#random;
    const { purchasesADay, habits, plans, otherCard } = this.#account;
    const from = random.chance(0.35) ? random.int(5, 45) : DAYS;
    const trip = { from, to: from + random.int(3, 8) };
    for (let day = 0; day < DAYS; day += 1) {
      const isAway = day >= trip.from && day <= trip.to;
      for (const habit of isWeekend(day) || isAway ? [] : habits) {
        if (!random.chance(habit.chance)) continue;
        this.#buy(day, habit.sign, habit.cents, "habit");
        if (random.chance(habit.twice)) this.#buy(day, habit.sign, habit.cents, "habit");
      }
      for (
        let left = purchasesADay * (0.4 + random.unit() * 1.2);
        random.unit() < left;
        left -= 1
      ) {
        this.#shop(day, trip);
      }
      if (otherCard !== null && random.chance(0.35)) this.#buyUnseen(day, otherCard);
    }
    for (const plan of plans) this.#subscribe(plan);
    this.#bankOnly();
  }

  #shop(day: number, { from, to }: Trip): void {
    const random = this.#random;
    const { signs, favourites, rate, currency } = this.#account;
    const isForeign = day >= from && day <= to ? random.chance(0.85) : random.chance(0.008);
    const sign = isForeign
      ? drawForeign(random, currency).sign
      : random.pick(random.chance(0.7) ? favourites : signs);
    const cents = drawCents(random, sign.merchant, rate);
    this.#buy(day, sign, cents, isForeign ? "foreign" : "plain");
    // The terminal lost the response and retried: only one authorization is collected.
    if (!random.chance(0.003)) return;
    const outcome: Outcome = { case: "retried", authorizedCents: cents, debits: [] };
    this.#record(day, sign, outcome);
  }

  #buy(day: number, sign: Sign, cents: number, kind: "plain" | "habit" | "plan" | "foreign"): void {
    const { trade } = sign.merchant;
    const draw = { random: this.#random, account: this.#account, trade, cents };
    const drawn = drawOutcome(draw, kind === "foreign");
    const isPlain = drawn.case === "plain";
    this.#record(day, sign, isPlain ? { ...drawn, case: kind } : drawn);
  }

  #record(day: number, sign: Sign, outcome: Outcome): void {
    const random = this.#random;
    const { number: account, currency, cards } = this.#account;
    const { case: kind, authorizedCents, debits } = outcome;
    const descriptor = descriptorOf(random, sign);
    // If the network has cleared already, the card side has the final amount.
    const isCleared = debits.length === 1 && random.chance(0.12);
    const id = this.#id("p");
    const { mcc, city } = sign.merchant;
    const cents = isCleared ? (debits[0] ?? authorizedCents) : authorizedCents;
    const known = { descriptor, mcc, city, isCleared, case: kind };
    this.purchases.push({ account, id, day: dayOf(day), cents, currency, ...known });
    const last4 = random.pick(cards);
    let at = day;
    for (const debit of debits) {
      this.#post(at, { sign, descriptor, last4, cents: debit, purchaseId: id, case: kind }, day);
      at += random.weighted([
        [3, 0],
        [4, 1],
        [3, random.int(2, 5)],
      ]);
    }
    if (kind !== "returned") return;
    const back = { sign, descriptor, last4, cents: -authorizedCents, purchaseId: null };
    this.#post(day + random.int(3, 20), { ...back, case: kind }, day);
  }

  #post(sentDay: number, movement: Debit, purchaseDay: number): void {
    const random = this.#random;
    const { number: account, currency, bank, signs } = this.#account;
    const { sign, descriptor, last4, ...rest } = movement;
    const text = { day: dayOf(purchaseDay), last4 };
    this.movements.push({
      account,
      id: this.#id("m"),
      day: dayOf(postingDay(random, sentDay, sign.wait, bank)),
      currency,
      description: statementText(random, bank, sign, descriptor, text),
      merchantName: providerName(random, bank, sign, signs),
      ...rest,
    });
  }

  /** A household card that is not enrolled. Only the bank has its purchases. */
  #buyUnseen(day: number, last4: string): void {
    const random = this.#random;
    const { favourites, habits, rate } = this.#account;
    const habit = random.chance(0.2) ? habits[0] : undefined;
    const sign = habit?.sign ?? random.pick(favourites);
    const cents = habit?.cents ?? drawCents(random, sign.merchant, rate);
    const descriptor = descriptorOf(random, sign);
    const debit = { sign, descriptor, last4, cents, purchaseId: null, case: "otherCard" } as const;
    this.#post(day, debit, day);
  }

  /** A monthly price, raised occasionally. */
  #subscribe(sign: Sign): void {
    const random = this.#random;
    let cents = drawCents(random, sign.merchant, this.#account.rate);
    for (let day = random.int(0, 29); day < DAYS; day += random.int(30, 31)) {
      this.#buy(day, sign, cents, "plan");
      if (random.chance(0.05)) cents = Math.round(cents * 1.1);
    }
  }

  #bankOnly(): void {
    const random = this.#random;
    for (let day = random.int(0, 4); day < DAYS; day += 30) {
      this.#bookAlone(day, -drawPrice(random, [180_000, 450_000]), "SALARY ACME WORKS 0125");
      this.#bookAlone(day + 1, drawPrice(random, [60_000, 190_000]), "RENT APT 4B STANDING ORDER");
      this.#bookAlone(day + 3, drawPrice(random, [4000, 12_000]), "SEPA-LASTSCHRIFT STADTWERKE");
      this.#bookAlone(day + 5, drawPrice(random, [2000, 9000]), "DD INSURANCE POLICY 77120934");
      this.#bookAlone(day + 9, drawPrice(random, [200, 990]), "ACCOUNT FEE");
    }
    for (let day = random.int(0, 9); day < DAYS; day += random.int(5, 15)) {
      this.#bookAlone(day, random.int(2, 20) * 1000, `ATM WITHDRAWAL ${random.digits(6)}`);
    }
    for (let day = random.int(0, 9); day < DAYS; day += random.int(6, 20)) {
      const to = random.pick(["ANNA K", "J MURPHY", "KLAUS BECKER", "SPLIT BILL DINNER"]);
      this.#bookAlone(day, drawPrice(random, [500, 20_000]), `TRANSFER TO ${to}`);
    }
  }

  #bookAlone(day: number, euroCents: number, description: string): void {
    const { number: account, currency, rate } = this.#account;
    const cents = Math.round(euroCents * rate);
    const movement = { account, id: this.#id("m"), day: dayOf(day), cents, currency, description };
    this.movements.push({ ...movement, merchantName: null, purchaseId: null, case: "bankOnly" });
  }

  #id(kind: string): string {
    const id = `${kind}${this.#account.number}-${this.#random.code(4)}`;
    if (this.#ids.has(id)) return this.#id(kind);
    this.#ids.add(id);
    return id;
  }
}

interface Debit {
  readonly sign: Sign;
  readonly descriptor: string;
  readonly last4: string;
  readonly cents: number;
  readonly purchaseId: string | null;
  readonly case: Case;
}
