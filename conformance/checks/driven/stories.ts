import type { Check } from "../../check.ts";
import { announcementChecks } from "./announced.ts";
import { connectionChecks } from "./bac.ts";
import { bankOnlyChecks } from "./bank-only.ts";
import { bankLinkChecks } from "./blk.ts";
import { removalChecks } from "./btx.ts";
import { feedChecks } from "./nbf.ts";
import { orderChecks } from "./order.ts";
import { snapshotChecks } from "./snapshots.ts";
import { subscriptionChecks } from "./sub.ts";
import { purchaseChecks } from "./txn.ts";

/** What stories told by the driver's verbs show, a file a group. */
export const storyChecks: readonly Check[] = [
  ...purchaseChecks,
  ...bankOnlyChecks,
  ...removalChecks,
  ...announcementChecks,
  ...orderChecks,
  ...snapshotChecks,
  ...bankLinkChecks,
  ...subscriptionChecks,
  ...feedChecks,
  ...connectionChecks,
];
