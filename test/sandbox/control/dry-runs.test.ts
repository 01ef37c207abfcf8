import { expect, test } from "vitest";
import { type VerbName, verbNames } from "../../../src/world/verbs/names.ts";
import { playALittle, startTestServer } from "../test-server.ts";

test("a dry run of every verb changes nothing and takes no faults", async () => {
  const { local, dump } = await startTestServer();
  await playALittle(local);
  await local.addEndpoint({ url: "http://127.0.0.1:9/" });
  await local.setFaults({ deliveries: [{ kind: "drop", times: 1 }] });
  const [before, faults] = [dump(), await local.faults()];
  const params = { "switch-projection": { on: false } } as Partial<Record<VerbName, object>>;
  const calls = verbNames.map((verb) => {
    return { verb, params: { ...params[verb] } };
  });
  const runs = await local.dryRun({ calls });
  expect(dump()).toBe(before);
  expect(await local.faults()).toEqual(faults);
  // Each verdict is that of the verb itself.
  await local.setFaults({});
  await local.snapshot("before");
  for (const [index, { verb, params }] of calls.entries()) {
    const refusal = await local.trigger(verb, params as never).then(
      () => null,
      (error: Error) => error.message,
    );
    expect([verb, runs[index]?.refusal]).toEqual([verb, refusal]);
    await local.restore("before");
  }
  expect(new Set(runs.map(({ refusal }) => refusal === null)).size).toBe(2);
});

test("the next call has the ids that it would have without the dry run", async () => {
  const [plain, tried] = [await startTestServer(), await startTestServer()];
  for (const { local } of [plain, tried]) await playALittle(local);
  await tried.local.dryRun({ calls: [{ verb: "purchase" }, { verb: "enroll" }] });
  const purchase = await plain.local.trigger("enroll");
  expect((await tried.local.trigger("enroll")).result).toEqual(purchase.result);
});

test.each<[verb: VerbName, remedies: VerbName[]]>([
  ["purchase", ["enroll", "sca-pass"]],
  ["clear", ["enroll", "sca-pass", "purchase"]],
  ["clear-partial", ["enroll", "sca-pass", "purchase"]],
  ["bank-post", ["link-complete"]],
  ["late-card-data", ["link-complete", "upgrade", "sca-pass", "bank-post"]],
  ["retire-duplicate", ["link-complete", "bank-post"]],
  ["provider-remove", ["link-complete", "bank-post"]],
  ["rematch", ["link-complete", "upgrade", "sca-pass", "purchase", "bank-post"]],
  ["enrich", ["enroll", "sca-pass", "purchase"]],
  ["sca-pass", ["enroll"]],
  ["sca-fail", ["enroll"]],
  ["upgrade", ["link-complete"]],
  ["deactivate", ["enroll", "sca-pass"]],
  ["link-card", ["link-complete", "enroll"]],
  ["consent-expire", ["link-complete"]],
  ["disconnect", ["link-complete"]],
  ["recover", ["link-complete", "disconnect"]],
])("from an empty world, the remedies of %s lead to it: %s", async (verb, expected) => {
  const { local } = await startTestServer();
  await local.reset({ world: "empty" });
  const remedies: VerbName[] = [];
  const wanted: { verb: VerbName; params?: Record<string, unknown> }[] = [{ verb }];
  for (let steps = 0; wanted.length > 0 && steps < 20; steps += 1) {
    const [call] = wanted;
    if (!call) break;
    const [run] = await local.dryRun({ calls: [call] });
    if (run?.refusal === null) {
      await local.trigger(call.verb, call.params as never);
      if (wanted.length > 1) remedies.push(call.verb);
      wanted.shift();
      continue;
    }
    expect(run?.remedy, run?.refusal ?? "").not.toBeNull();
    if (run?.remedy) wanted.unshift(run.remedy);
  }
  expect(wanted).toEqual([]);
  expect(remedies).toEqual(expected);
});

test("a remedy concerns the resource of the refused call, not the latest one", async () => {
  const { local } = await startTestServer();
  await local.reset({ world: "empty" });
  const first = (await local.trigger("link-complete")).result.bankAccountIds[0] ?? "";
  await local.trigger("link-complete");
  const recover = { verb: "recover", params: { bankAccountId: first } } as const;
  const [run] = await local.dryRun({ calls: [recover] });
  expect(run?.remedy).toMatchObject({ params: { bankAccountId: first } });
});

test("remedies stay in the account of the refused call", async () => {
  const { local } = await startTestServer();
  await local.reset({ world: "empty" });
  const accountId = (await local.status()).accounts[1]?.accountId ?? "";
  const calls = verbNames.map((verb) => ({ verb, params: { accountId } }));
  const runs = await local.dryRun({ calls });
  const advised = runs.flatMap(({ remedy }) => (remedy ? [remedy] : []));
  expect(advised.length).toBeGreaterThan(10);
  for (const remedy of advised) expect(remedy).toMatchObject({ params: { accountId } });
});
