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
export type * from "./verbs/params.ts";
