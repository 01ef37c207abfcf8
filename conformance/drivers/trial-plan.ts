import type { Verb, VerbParams } from "../driver.ts";
import { type Name, namesIn, type Step, sourceOf } from "../verbs/step.ts";

/** A call of a verb that no script uses. */
type PlainCall = { readonly verb: "settle" | "snapshot" | "restore" };

/** A call of a trial. */
export interface TrialCall {
  readonly step: Step | PlainCall;
  /** The step to try if `step` means nothing, because an earlier verb failed. */
  readonly instead?: Step;
  /** The verb that must have worked before. */
  readonly needs?: Verb;
  /** Distinguishes it from other calls of the verb. */
  readonly note?: string;
}

const PRICE = { amount: 31.19, merchant: "KIOSK MORGENROT" };
const MOVEMENT = { amount: 47.83, merchant: "LATERNA BOOKS" };
const TWICE = { amount: 19.43, merchant: "OPTIK LINDQVIST" };

const call = (step: TrialCall["step"], note?: string): TrialCall => ({
  step,
  ...(note !== undefined && { note }),
});

const startLink = (card?: Name): Step => ({
  verb: "startLink",
  as: "link 1",
  accounts: [
    { as: "account 1", type: "credit", ...(card !== undefined && { card }) },
    { as: "account 2", type: "credit" },
    { as: "account 3", type: "depository" },
  ],
});

/** The calls of a trial. Later ones use what earlier ones returned. */
export const TRIAL_PLAN: readonly TrialCall[] = [
  call({ verb: "settle" }),
  call({ verb: "enroll", as: "card 1" }),
  call({ verb: "clearSca", card: "card 1" }),
  { step: startLink("card 1"), instead: startLink() },
  call({ verb: "completeLink", link: "link 1", by: "notification" }, "notification"),
  call({ verb: "authorize", as: "purchase 1", card: "card 1", ...PRICE }),
  call({ verb: "enrich", purchase: "purchase 1", message: "authorization" }),
  call(
    { verb: "postAtBank", as: "posting 1", account: "account 1", purchase: "purchase 1", ...PRICE },
    "the debit of a purchase",
  ),
  call({ verb: "rematch", purchase: "purchase 1" }),
  call({ verb: "clear", purchase: "purchase 1" }),
  call(
    { verb: "postAtBank", as: "posting 2", account: "account 1", ...MOVEMENT },
    "a movement without a purchase",
  ),
  call({
    ...{ verb: "tellLate", as: "purchase 2", card: "card 1", posting: "posting 2" },
    ...MOVEMENT,
    confidence: "HIGH",
  }),
  call({ verb: "removeAtProvider", posting: "posting 2" }),
  call({ verb: "postAtBank", as: "posting 3", account: "account 1", ...TWICE }, "a movement"),
  call({ verb: "postAtBank", as: "posting 4", account: "account 1", ...TWICE }, "its duplicate"),
  call({ verb: "retireDuplicate", posting: "posting 4" }),
  call({ verb: "enroll", as: "card 2" }, "another card"),
  call({ verb: "clearSca", card: "card 2" }, "another card"),
  call({ verb: "linkCard", card: "card 2", account: "account 3" }),
  call({ verb: "deactivate", card: "card 2" }),
  call({ verb: "upgrade", card: "card of account 2" }),
  call({ verb: "expireConsent", account: "account 3" }),
  call({ verb: "disconnect", account: "account 3" }),
  call({ verb: "recover", account: "account 3" }),
  call({ verb: "submitFeed", as: "feed 1", expectedCardCount: 3 }, "with a count"),
  call({ verb: "acceptFeed", feed: "feed 1" }),
  call({ verb: "submitFeed", as: "feed 2" }, "without a count"),
  call({ verb: "rejectFeed", feed: "feed 2" }),
  call(
    { verb: "startLink", as: "link 2", accounts: [{ as: "account 4", type: "depository" }] },
    "for polling",
  ),
  call({ verb: "completeLink", link: "link 2", by: "polling" }, "polling"),
  call({ verb: "advance", seconds: 60 }),
  call({ verb: "snapshot" }),
  { step: { verb: "restore" }, needs: "snapshot" },
];

export function isPlain(step: TrialCall["step"]): step is PlainCall {
  return step.verb === "settle" || step.verb === "snapshot" || step.verb === "restore";
}

export function paramsOf({ verb }: PlainCall): VerbParams<PlainCall["verb"]> {
  return verb === "settle" ? undefined : { name: "txfeed-driver-check" };
}

/** The verb whose result names a resource. */
export function producerOf(name: Name): Verb {
  const source = sourceOf(name);
  const isMeant = ({ step }: TrialCall) => !isPlain(step) && namesIn(step).gives.includes(source);
  return TRIAL_PLAN.find(isMeant)?.step.verb as Verb;
}
