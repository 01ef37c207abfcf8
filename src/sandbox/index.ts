export { Refusal } from "../world/refusal.ts";
export {
  type ControlClientOptions,
  ControlError,
  createControlClient,
} from "./control/client.ts";
export type * from "./control/control.ts";
export { verbDescriptions } from "./control/descriptions.ts";
export type {
  BankAccountParams,
  BankPostParams,
  BankTransactionParams,
  ClearParams,
  ClockMode,
  ConsentExpireParams,
  EnrichParams,
  EnrollParams,
  FeedAcceptParams,
  FeedRejectParams,
  FeedSubmitParams,
  Kind,
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
} from "./control/types.ts";
export { createSandbox } from "./create-sandbox.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
