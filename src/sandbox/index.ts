export type {
  BankAccountParams,
  BankPostParams,
  BankTransactionParams,
  ClearParams,
  ConsentExpireParams,
  EnrichParams,
  EnrollParams,
  FeedAcceptParams,
  FeedRejectParams,
  FeedSubmitParams,
  LateCardDataParams,
  LinkableAccountParams,
  LinkCardParams,
  LinkCompleteParams,
  LinkStartParams,
  MerchantParams,
  OfAccount,
  OpenSubaccountParams,
  PurchaseParams,
  RematchParams,
  SubscriptionParams,
  SwitchProjectionParams,
  VerbName,
  VerbParams,
  VerbResults,
} from "../../generated/control-types.ts";
export type { ClockMode } from "./clock.ts";
export {
  type ControlClientOptions,
  ControlError,
  createControlClient,
} from "./control/client.ts";
export type * from "./control/control.ts";
export { createSandbox } from "./create-sandbox.ts";
export { Refusal } from "./refusal.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
export type { Kind } from "./store/resources.ts";
export { verbDescriptions } from "./verbs/descriptions.ts";
