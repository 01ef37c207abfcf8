// The shapes of the control API: each export is a schema, and the type of its values. The document
// has them as components. The published package has other types: see `scripts/control-types.ts`.

export * from "../../world/types.ts";
export { ClockMode, ClockReading, ClockSetting, ClockStep } from "../clock.ts";
export {
  Attempt,
  DeliveriesQuery,
  Delivery,
  DeliveryState,
} from "../delivery/deliveries.ts";
export { Endpoint, EndpointParams } from "../delivery/endpoints.ts";
export { EventHead, EventsQuery, LoggedEvent } from "../event-log.ts";
export { ApiFault, DeliveryFault, Faults, FaultsSetting } from "../fault-injector.ts";
export { WorldName } from "../seed-data/index.ts";
export {
  DryRun,
  DryRunParams,
  Kind,
  Problem,
  Remedy,
  Replayed,
  RequirementId,
  ResetParams,
  ResourcesQuery,
  SandboxStatus,
  ShownResource,
  VerbCall,
  VerbDescription,
} from "./shapes.ts";
