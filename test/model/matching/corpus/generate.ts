import { Random } from "../../../support/random.ts";
import type { Account, Case, Kind } from "./cases.ts";
import { drawForeignShop, drawHousehold, type Household } from "./households.ts";
import { drawPrice, drawWait, type Shop } from "./merchants.ts";
import { drawOutcome, type Outcome } from "./outcomes.ts";
import { descriptorOf, type PurchaseText, providerName, statementText } from "./texts.ts";

const DAYS = 61;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 6); // A Monday.

// Debits without a card: the first day, the days between them, the price in euro cents.
const BANK_ONLY = [
  [1, 30, 30, 60_000, 190_000, "RENT APT 4B STANDING ORDER"],
  [3, 30, 30, 4000, 12_000, "SEPA-LASTSCHRIFT STADTWERKE"],
  [5, 30, 30, 2000, 9000, "DD INSURANCE POLICY 77120934"],
  [9, 30, 30, 200, 990, "ACCOUNT FEE"],
  [0, 5, 15, 2000, 20_000, "ATM WITHDRAWAL ?"],
  [0, 12, 40, 500, 20_000, "TRANSFER TO ANNA K"],
  [0, 12, 40, 500, 20_000, "TRANSFER TO SPLIT BILL DINNER"],
] as const;

/** Draws accounts with two months of purchases and debits. */
export function generateAccounts(seed: number, count: number): Account[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, number) => {
    const household = drawHousehold(random, number);
    return { currency: household.currency, cases: new Months(random, household).cases };
  });
}

/** The purchases and debits of a household. */
class Months {
  readonly cases: Case[] = [];
  readonly #random: Random;
  readonly #household: Household;

  constructor(random: Random, household: Household) {
    this.#random = random;
    this.#household = household;
    const from = random.chance(0.35) ? random.int(5, 45) : DAYS;
    const to = from + random.int(3, 8);
    for (let day = 0; day < DAYS; day += 1) this.#live(day, day >= from && day <= to);
    for (const plan of household.plans) this.#subscribe(plan);
    this.#bankOnly();
  }

  #live(day: number, isAway: boolean): void {
    const random = this.#random;
    const { habits, purchasesADay, otherCard } = this.#household;
    for (const { shop, cents, chance, twice } of isAway || isWeekend(day) ? [] : habits) {
      if (!random.chance(chance)) continue;
      for (let left = random.chance(twice) ? 2 : 1; left > 0; left -= 1) {
        this.#buy(day, shop, cents, "habit");
      }
    }
    const count = purchasesADay * (0.4 + random.unit() * 1.2);
    for (let left = count; random.unit() < left; left -= 1) this.#shop(day, isAway);
    if (otherCard !== null && random.chance(0.35)) this.#buyUnseen(day, otherCard);
  }

  #shop(day: number, isAway: boolean): void {
    const random = this.#random;
    const { shops, favourites } = this.#household;
    const isForeign = random.chance(isAway ? 0.85 : 0.008);
    const shop = isForeign
      ? drawForeignShop(random, this.#household)
      : random.pick(random.chance(0.7) ? favourites : shops);
    const cents = shop.price();
    this.#buy(day, shop, cents, isForeign ? "foreign" : "plain");
    // The terminal lost the response and retried: only one authorization is collected.
    if (random.chance(0.003)) this.#record(day, shop, { kind: "retried", cents, debits: [] });
  }

  #buy(day: number, shop: Shop, cents: number, kind: Kind): void {
    const outcome = drawOutcome(this.#random, this.#household, shop, cents, kind === "foreign");
    this.#record(day, shop, outcome.kind === "plain" ? { ...outcome, kind } : outcome);
  }

  #record(day: number, shop: Shop, { kind, cents, debits: amounts }: Outcome): void {
    const random = this.#random;
    const last4 = random.pick(this.#household.cards);
    const text = { descriptor: descriptorOf(random, shop), day: dateOf(day), last4 };
    let sentDay = day;
    const debits = amounts.map((amount) => {
      const debit = this.#debit(sentDay, shop, amount, text);
      sentDay += random.pick([0, 0, 0, 1, 1, 1, 1, 2, 3, 5]);
      return debit;
    });
    // If the network has cleared already, the card side has the final amount.
    const isCleared = amounts.length === 1 && random.chance(0.12);
    const known = { day: text.day, cents: (isCleared && amounts[0]) || cents };
    const { mcc, city } = shop;
    const purchase = { ...known, descriptor: text.descriptor, mcc, city, canSplit: !isCleared };
    this.cases.push({ kind, purchase, debits });
  }

  #debit(sentDay: number, shop: Shop, cents: number, text: PurchaseText) {
    const day = dateOf(this.#postingDay(sentDay, shop.wait));
    const description = statementText(this.#random, this.#household, shop, text);
    const merchantName = providerName(this.#random, this.#household, shop);
    return { day, cents, description, merchantName };
  }

  /** The bank's day of a debit, for a merchant with a usual delay of `usual` working days. */
  #postingDay(day: number, usual: number): number {
    const random = this.#random;
    const { showsPurchaseDay, booksOnWeekends } = this.#household;
    // The bank's day ended after the terminal's, or one of their clocks was wrong.
    if (random.chance(0.012)) return day - 1;
    if (showsPurchaseDay && random.chance(0.92)) return day;
    const way = random.weighted({ usual: 83, other: 12, "4-6": 3.6, "7-10": 1.1, "11-18": 0.3 });
    const [low = 0, high = low] = way.split("-").map(Number);
    const late = way === "other" ? drawWait(random) : random.int(low, high);
    let at = day;
    for (let left = way === "usual" ? usual : late; left > 0; ) {
      at += 1;
      if (booksOnWeekends || !isWeekend(at)) left -= 1;
    }
    while (!booksOnWeekends && isWeekend(at)) at += 1;
    return at;
  }

  /** A household card that is not enrolled. Only the bank has its purchases. */
  #buyUnseen(day: number, last4: string): void {
    const random = this.#random;
    const { favourites, habits } = this.#household;
    const habit = random.chance(0.2) ? habits[0] : undefined;
    const shop = habit?.shop ?? random.pick(favourites);
    const text = { descriptor: descriptorOf(random, shop), day: dateOf(day), last4 };
    const debit = this.#debit(day, shop, habit?.cents ?? shop.price(), text);
    this.cases.push({ kind: "otherCard", purchase: null, debits: [debit] });
  }

  /** A monthly price, raised occasionally. */
  #subscribe(shop: Shop): void {
    const random = this.#random;
    let cents = shop.price();
    for (let day = random.int(0, 29); day < DAYS; day += random.int(30, 31)) {
      this.#buy(day, shop, cents, "plan");
      if (random.chance(0.05)) cents = Math.round(cents * 1.1);
    }
  }

  #bankOnly(): void {
    const random = this.#random;
    const { rate } = this.#household;
    for (const [first, least, most, low, high, text] of BANK_ONLY) {
      for (let day = random.int(first, first + 4); day < DAYS; day += random.int(least, most)) {
        const description = text.replace("?", () => random.code(6));
        const cents = drawPrice(random, low * rate, high * rate);
        const debit = { day: dateOf(day), cents, description, merchantName: null };
        this.cases.push({ kind: "bankOnly", purchase: null, debits: [debit] });
      }
    }
  }
}

function dateOf(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}

function isWeekend(day: number): boolean {
  return ((day % 7) + 7) % 7 >= 5;
}
