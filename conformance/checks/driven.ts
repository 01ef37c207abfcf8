import type { Check } from "../check.ts";
import { drivenAuthentication } from "./auth/driven.ts";
import { connectionChecks } from "./bac/driven.ts";
import { bankLinkChecks } from "./blk/driven.ts";
import { deletionChecks, postingChecks, removalChecks } from "./btx/driven.ts";
import { drivenEnrichmentChecks } from "./enr/driven.ts";
import { bankLinkCompletion } from "./ep/driven.ts";
import { listedMatchChecks, matchChecks, settlingMatchChecks } from "./mat/driven.ts";
import { drivenMessageChecks } from "./msg/driven.ts";
import { feedChecks } from "./nbf/driven.ts";
import { subscriptionChecks } from "./sub/driven.ts";
import { bankOnlyChecks } from "./txn/bank-only.ts";
import { purchaseChecks } from "./txn/driven.ts";
import { snapshotChecks } from "./txn/snapshots.ts";
import { eventChecks, orderChecks } from "./whk/driven.ts";

/** Checks of driven scenarios. They run one at a time, in this order. */
export const scenarioChecks: readonly Check[] = [
  ...purchaseChecks,
  ...bankOnlyChecks,
  ...deletionChecks,
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
  ...subscriptionChecks,
  ...feedChecks,
  ...connectionChecks,
];

/** Checks that drive the target or send a request that changes it. */
export const drivenChecks: readonly Check[] = [
  ...scenarioChecks,
  ...bankLinkCompletion,
  ...drivenAuthentication,
];
