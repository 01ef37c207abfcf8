import { expect, test } from "vitest";
import { runVerb } from "../../src/world/verbs/index.ts";
import { startSandbox } from "./test-sandbox.ts";

test("a change that is rolled back, or tried, takes no injected fault", async () => {
  const { control, engine, service } = startSandbox();
  const { faults } = service;
  await control.addEndpoint({ url: "http://127.0.0.1:9/" });
  const fault = { kind: "drop", times: 1 } as const;
  await control.setFaults({ deliveries: [fault, { ...fault, rate: 0.5 }] });
  const before = faults.read();
  await control.dryRun({ calls: [{ verb: "enroll" }] });
  const failed = () =>
    engine.commit((work) => {
      for (let count = 0; count < 9; count += 1) runVerb(work, "enroll", {});
      throw new Error("it fails");
    });
  expect(failed).toThrow("it fails");
  expect(faults.read()).toEqual(before);
  await control.trigger("enroll");
  expect(await control.deliveries()).toMatchObject([{ state: "dropped" }]);
});
