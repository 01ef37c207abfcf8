import type { Control } from "./control/control.ts";
import type { Engine } from "./engine.ts";
import type { FaultInjector } from "./fault-injector.ts";

/** What the sandbox's routes share. */
export interface Service {
  readonly engine: Engine;
  readonly control: Control;
  readonly faults: FaultInjector;
  /** Where what the sandbox did wrong is noted, a line each. */
  readonly violations: string[];
}
