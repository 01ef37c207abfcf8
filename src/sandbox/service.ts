import type { Control } from "./control/control.ts";
import type { Engine } from "./engine.ts";
import type { FaultInjector } from "./fault-injector.ts";

/** The parts of a sandbox that its routes share. */
export interface Service {
  readonly engine: Engine;
  readonly control: Control;
  readonly faults: FaultInjector;
  /** The errors of the sandbox itself, a line each. */
  readonly violations: string[];
}
