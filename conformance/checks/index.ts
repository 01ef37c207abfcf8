import type { Check } from "../check.ts";
import { scripts } from "../scripts/index.ts";
import { repetitionChecks, scriptChecks } from "../verbs/script-checks.ts";
import { accounts, drivenAccounts } from "./auth/accounts.ts";
import { credentials } from "./auth/credentials.ts";
import { errors, refusals, refusedPatches } from "./auth/refused-tokens.ts";
import { lifetimes, tokenEndpoint } from "./auth/token-endpoint.ts";
import { bankTransactions } from "./btx/http.ts";
import { conventions } from "./conv/http.ts";
import { endpoints } from "./ep/http.ts";
import { bankLinkCompletion } from "./ep/patches.ts";
import { lateMatchChecks } from "./mat/late.ts";
import { partChecks } from "./mat/parts.ts";
import { messageDeliveryChecks, messages } from "./msg/http.ts";
import { growingLists } from "./page/growing.ts";
import { pagination } from "./page/http.ts";
import { agreements } from "./shared/agreements.ts";
import { announcedResources } from "./shared/announced-resources.ts";
import { bodyChecks, seenEvents } from "./shared/bodies.ts";
import { historyChecks } from "./shared/histories.ts";
import { immediateChecks, orderChecks } from "./shared/orders.ts";
import { servedResources } from "./shared/served-resources.ts";
import { viewChecks } from "./shared/views.ts";
import { transactions } from "./txn/http.ts";
import { independenceChecks, webhooks } from "./whk/webhooks.ts";

const undriven: readonly Check[] = [
  ...[conventions, tokenEndpoint, credentials, refusals, accounts, endpoints, pagination],
  ...[transactions, messages, bankTransactions, viewChecks, errors],
  ...[webhooks, messageDeliveryChecks, seenEvents, announcedResources, servedResources],
  ...[historyChecks, agreements, orderChecks, repetitionChecks(scripts)],
].flat();

const needsDeliveries = ({ requires }: Check) => requires.includes("deliveries");

/** Checks of responses. They need only a base URL and credentials. */
export const httpChecks = undriven.filter((check) => !needsDeliveries(check));

/** Checks of driven scripts. They run one at a time, in this order. */
export const scriptedChecks: readonly Check[] = [
  ...independenceChecks,
  ...immediateChecks,
  ...scripts.flatMap(scriptChecks),
  ...partChecks,
  // Last, because they advance the clock by weeks.
  ...lateMatchChecks,
];

/** Checks that drive the target or send a request that changes it. */
export const drivenChecks: readonly Check[] = [
  ...scriptedChecks,
  ...bankLinkCompletion,
  ...drivenAccounts,
  ...lifetimes,
  ...refusedPatches,
  // Last, because more than 100 bank accounts make later steps slower.
  ...growingLists,
];

/** Checks of deliveries: individually, in sequence, and compared with the API. */
export const webhookChecks = undriven.filter(needsDeliveries);

/** All checks. The deliveries are compared when all others have driven the target. */
export const checks: readonly Check[] = [
  ...bodyChecks,
  ...httpChecks,
  ...drivenChecks,
  ...webhookChecks,
];
