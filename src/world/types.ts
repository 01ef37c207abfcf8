// The shapes of the verbs: each export is a schema, and the type of its values. The published
// package has other types: see `scripts/control-types.ts`.

export { BankPostParams, LateCardDataParams } from "./activity/bank-post.ts";
export { ClearParams } from "./activity/clearing.ts";
export { EnrichParams } from "./activity/enrichment.ts";
export { MerchantParams, PurchaseParams } from "./activity/purchase.ts";
export { RematchParams } from "./activity/rematch.ts";
export { BankTransactionParams } from "./activity/retirement.ts";
export { SwitchProjectionParams } from "./activity/transaction.ts";
export { BankAccountParams, ConsentExpireParams } from "./enrollment/bank-accounts.ts";
export {
  LinkableAccountParams,
  LinkCompleteParams,
  LinkStartParams,
} from "./enrollment/bank-links.ts";
export { EnrollParams, LinkCardParams, SubscriptionParams } from "./enrollment/card-verbs.ts";
export {
  FeedAcceptParams,
  FeedRejectParams,
  FeedSubmitParams,
} from "./enrollment/feeds.ts";
export { OpenSubaccountParams } from "./enrollment/subaccounts.ts";
export { EventName, OfAccount, VerbName } from "./fields.ts";
export { SandboxAccount } from "./sandbox-account.ts";
export type { VerbParams, VerbResults } from "./verbs/index.ts";
