import type { Check } from "../check.ts";
import { drivenAccounts } from "./auth/accounts.ts";
import { drivenAuthentication } from "./auth/scenarios.ts";
import { connectionChecks } from "./bac/scenarios.ts";
import { bankLinkChecks } from "./blk/scenarios.ts";
import { deletionChecks, postingChecks, removalChecks } from "./btx/scenarios.ts";
import { drivenEnrichmentChecks } from "./enr/scenarios.ts";
import { bankLinkCompletion } from "./ep/scenarios.ts";
import { lateMatchChecks, matchChecks, settlingMatchChecks } from "./mat/scenarios.ts";
import { listedMatchChecks, retractionChecks } from "./mat/scenarios-retractions.ts";
import { drivenMessageChecks } from "./msg/scenarios.ts";
import { feedChecks } from "./nbf/scenarios.ts";
import { pagingScenarios } from "./page/scenarios.ts";
import { subscriptionChecks } from "./sub/scenarios.ts";
import { subscriptionChangeChecks } from "./sub/scenarios-changes.ts";
import { subscriptionBankChecks } from "./sub/scenarios-links.ts";
import { bankOnlyChecks } from "./txn/bank-only.ts";
import { lifecycleChecks, nettingChecks } from "./txn/lifecycles.ts";
import { purchaseChecks } from "./txn/scenarios.ts";
import { snapshotChecks } from "./txn/snapshots.ts";
import { eventChecks, orderChecks } from "./whk/scenarios.ts";
import { independenceChecks } from "./whk/webhooks.ts";

/** Checks of driven scenarios. They run one at a time, in this order. */
export const scenarioChecks: readonly Check[] = [
  ...purchaseChecks,
  ...lifecycleChecks,
  ...nettingChecks,
  ...bankOnlyChecks,
  // Before the other checks of its scenarios, because the events must occur while it subscribes.
  ...independenceChecks,
  ...deletionChecks,
  ...retractionChecks,
  ...matchChecks,
  ...removalChecks,
  ...listedMatchChecks,
  ...drivenMessageChecks,
  ...postingChecks,
  ...settlingMatchChecks,
  ...drivenEnrichmentChecks,
  ...eventChecks,
  ...orderChecks,
  ...snapshotChecks,
  ...bankLinkChecks,
  ...subscriptionBankChecks,
  ...subscriptionChecks,
  ...subscriptionChangeChecks,
  ...feedChecks,
  ...connectionChecks,
  // Last, because it advances the clock by days.
  ...lateMatchChecks,
];

/** Checks that drive the target or send a request that changes it. */
export const drivenChecks: readonly Check[] = [
  ...scenarioChecks,
  ...bankLinkCompletion,
  ...drivenAccounts,
  ...drivenAuthentication,
  // Last, because more than 100 bank accounts make later steps slower.
  ...pagingScenarios,
];
