import type { Mutation } from "../mutation.ts";
import { auth } from "./auth.ts";
import { authAccounts } from "./auth-accounts.ts";
import { authLifetimes } from "./auth-lifetimes.ts";
import { authTokens } from "./auth-tokens.ts";
import { bac } from "./bac.ts";
import { blk } from "./blk.ts";
import { blkSituations } from "./blk-situations.ts";
import { btx } from "./btx.ts";
import { btxSituations } from "./btx-situations.ts";
import { conv } from "./conv.ts";
import { convResources } from "./conv-resources.ts";
import { ep } from "./ep.ts";
import { epResources } from "./ep-resources.ts";
import { epSituations } from "./ep-situations.ts";
import { mat } from "./mat.ts";
import { matRetractions } from "./mat-retractions.ts";
import { matSituations } from "./mat-situations.ts";
import { msg } from "./msg.ts";
import { msgAgreement } from "./msg-agreement.ts";
import { nbf } from "./nbf.ts";
import { page } from "./page.ts";
import { pageGrowth } from "./page-growth.ts";
import { pageWalks } from "./page-walks.ts";
import { sub } from "./sub.ts";
import { subChanges } from "./sub-changes.ts";
import { subSituations } from "./sub-situations.ts";
import { txn } from "./txn.ts";
import { txnBankOnly } from "./txn-bank-only.ts";
import { txnMessages } from "./txn-messages.ts";
import { txnSettlement } from "./txn-settlement.ts";
import { txnSituations } from "./txn-situations.ts";
import { txnSnapshots } from "./txn-snapshots.ts";
import { txnSteps } from "./txn-steps.ts";
import { unannounced } from "./unannounced.ts";
import { whk } from "./whk.ts";

/** Every mutation, by requirement group. */
export const mutations: readonly Mutation[] = [
  ...conv,
  ...convResources,
  ...auth,
  ...authTokens,
  ...authLifetimes,
  ...authAccounts,
  ...ep,
  ...epResources,
  ...epSituations,
  ...page,
  ...pageWalks,
  ...pageGrowth,
  ...txn,
  ...txnMessages,
  ...txnSettlement,
  ...txnSituations,
  ...txnSnapshots,
  ...txnSteps,
  ...txnBankOnly,
  ...msg,
  ...msgAgreement,
  ...sub,
  ...subChanges,
  ...subSituations,
  ...nbf,
  ...blk,
  ...blkSituations,
  ...bac,
  ...btx,
  ...btxSituations,
  ...mat,
  ...matRetractions,
  ...matSituations,
  ...whk,
  ...unannounced,
];
