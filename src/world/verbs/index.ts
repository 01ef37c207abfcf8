import { bankPost, lateCardData } from "../activity/bank-post.ts";
import { clear, clearPartially } from "../activity/clearing.ts";
import { enrich } from "../activity/enrichment.ts";
import { purchase } from "../activity/purchase.ts";
import { rematch } from "../activity/rematch.ts";
import { providerRemove, retireDuplicate } from "../activity/retirement.ts";
import { switchProjection } from "../activity/transaction.ts";
import { consentExpire, disconnect, recover } from "../enrollment/bank-accounts.ts";
import { linkComplete, linkStart } from "../enrollment/bank-links.ts";
import {
  deactivate,
  enroll,
  linkCardLater,
  scaFail,
  scaPass,
  upgrade,
} from "../enrollment/card-verbs.ts";
import { feedAccept, feedReject, feedSubmit } from "../enrollment/feeds.ts";
import { openSubaccount } from "../enrollment/subaccounts.ts";
import { Refusal } from "../refusal.ts";
import { type Of, readInput } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { isVerb, type VerbName } from "./names.ts";

/** Verbs for purchases, postings and matches. */
const activityVerbs = {
  purchase,
  clear,
  "clear-partial": clearPartially,
  "bank-post": bankPost,
  "late-card-data": lateCardData,
  "retire-duplicate": retireDuplicate,
  "provider-remove": providerRemove,
  rematch,
  enrich,
  "switch-projection": switchProjection,
};

/** Verbs that enroll cards and link bank accounts. */
export const enrollmentVerbs = {
  "open-subaccount": openSubaccount,
  enroll,
  "sca-pass": scaPass,
  "sca-fail": scaFail,
  upgrade,
  deactivate,
  "link-card": linkCardLater,
  "feed-submit": feedSubmit,
  "feed-accept": feedAccept,
  "feed-reject": feedReject,
  "link-start": linkStart,
  "link-complete": linkComplete,
  "consent-expire": consentExpire,
  disconnect,
  recover,
};

/** Every verb, in the order of the documentation. */
export const verbs = { ...activityVerbs, ...enrollmentVerbs } satisfies {
  readonly [Name in VerbName]: { readonly name: Name };
};

type Verbs = typeof verbs;

/** The parameters of each verb. */
export type VerbParams = { readonly [Name in VerbName]: Of<Verbs[Name]["params"]> };

/** The result of each verb. */
export type VerbResults = { readonly [Name in VerbName]: Of<Verbs[Name]["result"]> };

/** Reads the parameters of a verb. Throws a Refusal 400 that names the field, or 404. */
export function readParams<Name extends VerbName>(verb: Name, params: unknown): VerbParams[Name] {
  if (isVerb(verb)) return readInput(verbs[verb].params, params, verb) as VerbParams[Name];
  throw new Refusal(404, "Not found", `there is no verb ${verb}; GET /_sandbox/verbs lists them`);
}

/** Runs a verb. */
export function runVerb<Name extends VerbName>(
  work: UnitOfWork,
  verb: Name,
  params: VerbParams[Name],
): VerbResults[Name] {
  return verbs[verb].run(work, params as never) as VerbResults[Name];
}
