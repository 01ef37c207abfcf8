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
export { Refusal } from "../world/refusal.ts";
export type { Kind } from "../world/resources.ts";
export { verbDescriptions } from "../world/verbs/descriptions.ts";
export type { ClockMode } from "./clock.ts";
export {
  type ControlClientOptions,
  ControlError,
  createControlClient,
} from "./control/client.ts";
export type * from "./control/control.ts";
export { createSandbox } from "./create-sandbox.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
