import { expect } from "vitest";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { serve } from "../../support/local-server.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

/** A sandbox with its controls shown. */
async function open() {
  const fixture = await openSandbox(newPage);
  await fixture.panel("Controls");
  return fixture;
}

browserTest("changes the clock by buttons and by input", async () => {
  const { sandbox, page, press, outcome, watched } = await open();
  const now = page.locator("#now");
  expect(await now.innerText()).toBe("2026-01-05 09:00:00 UTC");
  await press("Advance +1 h");
  await expect.poll(() => now.innerText()).toBe("2026-01-05 10:00:00 UTC");
  await press("Advance +1 d");
  await expect.poll(() => now.innerText()).toBe("2026-01-06 10:00:00 UTC");
  await press("Advance +3 d");
  await expect.poll(() => now.innerText()).toBe("2026-01-09 10:00:00 UTC");
  await page.getByLabel("by (required)").fill("1d12h");
  await press("Advance");
  await expect.poll(() => now.innerText()).toBe("2026-01-10 22:00:00 UTC");
  await page.getByLabel("by (required)").fill("a while");
  await press("Advance");
  await outcome.getByText("Advance was refused").waitFor();
  await page.getByLabel("mode (required)").selectOption("real");
  await press("Set the clock");
  await outcome.getByText("The clock is real.").waitFor();
  expect((await sandbox.readClock()).mode).toBe("real");
  expectNoErrors(watched);
});

browserTest("shows when the next job is due, and clock changes made elsewhere", async () => {
  const { sandbox, page } = await open();
  const due = page.locator("#next-due");
  expect(await due.innerText()).toContain("Nothing is due");
  await sandbox.trigger("link-complete", { by: "polling" });
  await expect.poll(() => due.innerText()).toContain("Next due 2026-01-05 09:00:30");
  await sandbox.advance("2d");
  await expect.poll(() => page.locator("#now").innerText()).toBe("2026-01-07 09:00:00 UTC");
});

browserTest("adds an endpoint, replays all deliveries, and removes it", async () => {
  const { sandbox, page, controls, group, press, outcome, watched } = await open();
  let received = 0;
  const origin = await serve((request, response) => {
    request.resume();
    received += 1;
    response.writeHead(200).end();
  });
  await group("Endpoints");
  await controls.getByText("No endpoint receives events yet.").waitFor();
  await page.getByLabel("url (required)").fill(`${origin}/hook`);
  await page.getByLabel("events", { exact: true }).fill("cardsubscription.created");
  await press("Add the endpoint");
  await controls.getByText(`${origin}/hook`).waitFor();
  await sandbox.trigger("enroll");
  await sandbox.trigger("sca-pass");
  await sandbox.settle();
  expect(received).toBe(1);
  await press("Replay all");
  await outcome.getByText("1 delivery is sent again.").waitFor();
  await expect.poll(() => received).toBe(2);
  await press(`Remove ${origin}/hook`);
  await controls.getByText("No endpoint receives events yet.").waitFor();
  expectNoErrors(watched);
});

browserTest("reports an invalid endpoint", async () => {
  const { page, group, press, outcome } = await open();
  await group("Endpoints");
  await page.getByLabel("url (required)").fill("ftp://nowhere");
  await press("Add the endpoint");
  await outcome.getByText("Add the endpoint was refused").waitFor();
});

browserTest("sets every member of the faults, shows what is left, and clears them", async () => {
  const { sandbox, controls, group, press, outcome, watched } = await open();
  await group("Faults");
  await press("Add to api");
  const api = controls.getByRole("group", { name: "api", exact: true }).last();
  await api.getByLabel("kind (required)").selectOption("latency");
  await api.getByLabel("path").fill("/transactions");
  await api.getByLabel("times").fill("3");
  await api.getByLabel("rate").fill("0.5");
  await api.getByLabel("delayMs").fill("20");
  await press("Add to deliveries");
  const deliveries = controls.getByRole("group", { name: "deliveries", exact: true }).last();
  await deliveries.getByLabel("kind (required)").selectOption("drop");
  await deliveries.getByLabel("event").selectOption("transaction.created");
  await controls.getByLabel("listLagMs").fill("500");
  await press("Set the faults");
  await outcome.getByText("2 faults are set, and lists are delayed by 500 ms.").waitFor();
  const faults = {
    api: [{ kind: "latency", path: "/transactions", times: 3, rate: 0.5, delayMs: 20 }],
    deliveries: [{ kind: "drop", event: "transaction.created" }],
    listLagMs: 500,
  };
  expect(await sandbox.faults()).toEqual(faults);
  await sandbox.setFaults({ ...faults, api: [{ kind: "429", times: 1 }] } as never);
  await group("Faults");
  await group("Faults");
  await expect.poll(() => api.getByLabel("times").inputValue()).toBe("1");
  expect(await api.getByLabel("kind (required)").locator("option:checked").innerText()).toBe("429");
  await press("Clear the faults");
  await outcome.getByText("No faults are set.").waitFor();
  expect(await sandbox.faults()).toEqual({ api: [], deliveries: [], listLagMs: 0 });
  expect(await controls.getByLabel("listLagMs").inputValue()).toBe("0");
  expectNoErrors(watched);
});

browserTest("shows why faults are refused", async () => {
  const { controls, group, press, outcome } = await open();
  await group("Faults");
  await press("Add to api");
  await controls.getByLabel("kind (required)").selectOption("latency");
  await press("Set the faults");
  await outcome.getByText("api.0.delayMs: latency requires its duration").waitFor();
});

browserTest("saves the state as a snapshot, lists it, and restores it", async () => {
  const { sandbox, page, controls, timeline, group, press, outcome, watched } = await open();
  await sandbox.trigger("enroll");
  await group("Snapshots");
  await controls.getByText("No snapshot yet.").waitFor();
  await page.getByLabel("name (required)").fill("before-pass");
  await press("Save the snapshot");
  await outcome.getByText("The state is saved as before-pass.").waitFor();
  await sandbox.trigger("sca-pass");
  const entries = timeline.locator(".head");
  await expect.poll(() => entries.count()).toBe(2);
  await press("Restore before-pass");
  await outcome.getByText("The state of before-pass is restored.").waitFor();
  await expect.poll(() => entries.count()).toBe(1);
  await page.getByLabel("name (required)").fill("No Name");
  await press("Save the snapshot");
  await outcome.getByText("Save the snapshot was refused").waitFor();
  expectNoErrors(watched);
});

browserTest("resets to another world and shows only its log", async () => {
  const { sandbox, page, timeline, resources, group, press, outcome, watched } = await open();
  await sandbox.trigger("enroll");
  await timeline.getByText("cardsubscription.created").waitFor();
  await group("Reset");
  await page.getByLabel("world").selectOption("empty");
  await page.getByLabel("seed").fill("7");
  await press("Reset");
  await outcome.getByText('The sandbox has the initial data "empty".').waitFor();
  await resources.getByText("Purchases and bank-only movements appear here.").waitFor();
  await timeline.getByText("Events appear here.").waitFor();
  await group("Accounts and credentials");
  const { accounts } = await sandbox.status();
  await page.getByText(accounts[0]?.clientSecret ?? "").waitFor();
  await sandbox.trigger("enroll");
  await expect.poll(() => timeline.locator(".head").count()).toBe(1);
  expectNoErrors(watched);
});
