import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { findMatches, isAnnounced } from "../../observe/deliveries/find.ts";
import { CARD_WITH_BANK } from "../../scripts/money.ts";
import { Unmet } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { deliveriesSince, drive } from "../../verbs/drive.ts";
import { playedScript, requiredBy } from "../../verbs/script-checks.ts";
import type { Delivery } from "../../wire/exchange.ts";

const LATE: readonly Capability[] = [
  ...requiredBy(CARD_WITH_BANK),
  ...(["verb:postAtBank", "verb:tellLate"] as const),
];

/** Checks whether and when late card data is matched. The second advances the clock by days. */
export const lateMatchChecks: readonly Check[] = [
  // MAT-02: confidence follows score: HIGH from 0.70, MEDIUM from 0.50, LOW from 0.20; nothing
  // below 0.20 is announced.
  {
    claims: ["MAT-02.none-below"],
    title: "late card data without a similar posting is not matched",
    requires: LATE,
    run: async (session) => {
      const { promised, since, posting } = await tellLate(session, PRICES.other, "NONE");
      const isExpected = promised === "NONE";
      const all = await deliveriesSince(session, since, () => !isExpected);
      const matches = findMatches(all, posting);
      const undue = matches.filter(({ json }) => Number(memberOf(json, "score")) < LOWEST_SCORE);
      if (undue.length === 0 && matches.length > 0) {
        if (isExpected) throw new Unmet("tellLate promised no match, but one came");
        return new Skip("tellLate ignored that no match is wanted");
      }
      if (!isExpected && matches.length === 0) return new Skip("tellLate does not say NONE");
      const assertions = new Assertions();
      assertions.atMost(0, undue, "no transaction.match.created with a score below 0.20");
      return assertions.result("no card data arrived late");
    },
  },
  // MAT-09: Late card data triggers re-matching on a schedule dense at first and then sparser,
  // restarted by newer card data.
  {
    claims: ["MAT-09.restarted"],
    title: "newer card data is matched as soon as the card data before it",
    requires: [...LATE, "verb:advance", "verb:settle"],
    run: async (session) => {
      const first = await waitForMatch(session, PRICES.one);
      await session.drive("advance", { seconds: DAYS_APART_S });
      const second = await waitForMatch(session, PRICES.two);
      if (!first.match || !second.match) return new Skip("late card data was not matched");
      if (first.within === 0) return new Skip("late card data was matched at once, not by a retry");
      // Retries may vary a little. Days after the first card data, its own retries are sparse.
      const longest = 4 * first.within + MINUTE_S;
      const assertions = new Assertions();
      assertions.check(second.after < longest, {
        expected: `a match within ${longest} s: the first came within ${first.within} s`,
        actual: `a match after more than ${second.after} s`,
        evidence: [second.match, first.match],
      });
      return assertions.result("late card data was not matched");
    },
  },
];

const MINUTE_S = 60;
const LOWEST_SCORE = 0.2;
const DAYS_APART_S = 365_000;

const PRICES = {
  one: { amount: 98.17, merchant: "GLASHUETTE BAERENTAL" },
  two: { amount: 183.49, merchant: "CORRALES DE BUELNA" },
  other: { amount: 739.81, merchant: "SCHREINEREI KIEFER" },
} as const;

/** Posts a movement, and delivers its card data. */
async function tellLate(
  session: Session,
  price: { readonly amount: number; readonly merchant: string },
  confidence: "HIGH" | "NONE",
) {
  const { world } = await playedScript(session, CARD_WITH_BANK);
  const { cardId } = world.idsOf("card 1");
  const { bankAccountId } = world.idsOf("account 1");
  const { bankTransactionId } = await drive(session, "postAtBank", { bankAccountId, ...price });
  await deliveriesSince(session, 0, (all) =>
    isAnnounced(all, "banktransaction.created", bankTransactionId),
  );
  const since = (await session.deliveries()).length;
  const late = { cardId, bankTransactionId, confidence, ...price };
  const { confidence: promised } = await drive(session, "tellLate", late);
  return { since, posting: bankTransactionId, promised };
}

/** The clock's steps in seconds, 15 days in all: each is as long as all before. */
const WAIT_S = [5, ...Array.from({ length: 18 }, (_, at) => 5 * 2 ** at)];

/** When the match of late card data came, by the seconds that the clock was advanced. */
interface Wait {
  /** The announcement of the match, if it came. */
  readonly match?: Delivery;
  /** The seconds before and after the match appeared. */
  readonly after: number;
  readonly within: number;
}

async function waitForMatch(
  session: Session,
  price: { readonly amount: number; readonly merchant: string },
): Promise<Wait> {
  const { since, posting } = await tellLate(session, price, "HIGH");
  let [after, within] = [0, 0];
  for (const seconds of [0, ...WAIT_S]) {
    if (seconds > 0) await session.drive("advance", { seconds });
    within += seconds;
    const [match] = findMatches(await deliveriesSince(session, since, () => true), posting);
    if (match) return { match, after, within };
    after = within;
  }
  return { after, within };
}
