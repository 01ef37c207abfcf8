import { onTestFinished } from "vitest";
import { Rig, type RigOptions } from "./rig.ts";

/** A rig that goes with the test. */
export function startRig(options?: RigOptions): Rig {
  const rig = new Rig(options);
  onTestFinished(async () => {
    if (rig.engine.store.database.isOpen) await rig.close();
  });
  return rig;
}
