import type { Check } from "../check.ts";
import { scripts } from "../scripts/index.ts";
import { repetitionChecks, scriptChecks } from "../verbs/script-checks.ts";
import { accounts, drivenAccounts } from "./auth/accounts.ts";
import { credentials } from "./auth/credentials.ts";
import { drivenAuthentication } from "./auth/lifetimes.ts";
import { refusals } from "./auth/refused-tokens.ts";
import { tokenEndpoint } from "./auth/token-endpoint.ts";
import { bankLinkDeliveryChecks } from "./blk/webhooks.ts";
import { bankTransactions } from "./btx/http.ts";
import { bankTransactionDeliveryChecks } from "./btx/webhooks.ts";
import { conventions } from "./conv/http.ts";
import { conventionDeliveryChecks } from "./conv/webhooks.ts";
import { endpoints } from "./ep/http.ts";
import { bankLinkCompletion } from "./ep/patches.ts";
import { endpointDeliveryChecks } from "./ep/webhooks.ts";
import { errors } from "./err/http.ts";
import { matches } from "./mat/http.ts";
import { lateMatchChecks } from "./mat/late.ts";
import { partChecks } from "./mat/parts.ts";
import { matchDeliveryChecks } from "./mat/webhooks.ts";
import { messages } from "./msg/http.ts";
import { messageDeliveryChecks } from "./msg/webhooks.ts";
import { bulkFeeds } from "./nbf/webhooks.ts";
import { growingLists } from "./page/growing.ts";
import { pagination } from "./page/http.ts";
import { agreements } from "./shared/agreements.ts";
import { bodyChecks } from "./shared/bodies.ts";
import { historyChecks } from "./shared/histories.ts";
import { orderChecks } from "./shared/orders.ts";
import { subscriptionDeliveryChecks } from "./sub/webhooks.ts";
import { transactions } from "./txn/http.ts";
import { immediateChecks } from "./whk/immediate.ts";
import { independenceChecks, webhooks } from "./whk/webhooks.ts";

/** Checks of responses. They need only a base URL and credentials. */
export const httpChecks: readonly Check[] = [
  ...conventions,
  ...tokenEndpoint,
  ...credentials,
  ...refusals,
  ...accounts,
  ...endpoints,
  ...pagination,
  ...transactions,
  ...messages,
  ...bankTransactions,
  ...matches,
  ...errors,
];

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
  ...drivenAuthentication,
  // Last, because more than 100 bank accounts make later steps slower.
  ...growingLists,
];

/** Checks of deliveries: individually, in sequence, and compared with the API. */
export const webhookChecks: readonly Check[] = [
  ...webhooks,
  ...conventionDeliveryChecks,
  ...messageDeliveryChecks,
  ...subscriptionDeliveryChecks,
  ...bulkFeeds,
  ...bankLinkDeliveryChecks,
  ...bankTransactionDeliveryChecks,
  ...matchDeliveryChecks,
  ...endpointDeliveryChecks,
  ...historyChecks,
  ...agreements,
  ...orderChecks,
  ...repetitionChecks(scripts),
];

/** All checks. Each folder contains one group of requirements. */
export const checks: readonly Check[] = [
  ...bodyChecks,
  ...httpChecks,
  ...drivenChecks,
  ...webhookChecks,
];
