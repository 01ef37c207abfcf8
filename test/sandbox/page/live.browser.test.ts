import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

browserTest("reconnects to the sandbox and shows missed events", async () => {
  const dir = tempDir();
  const options = { data: join(dir, "sandbox.db"), clock: "frozen", world: "empty" } as const;
  const before = await createSandbox(options);
  const { page } = await newPage();
  await page.goto(`${before.controlUrl}/`);
  await page.getByText("Live", { exact: true }).waitFor();
  await before.trigger("enroll");
  await page.getByText("cardholder-single, reqSCA").waitFor();
  await before.close();
  await page.getByText("Not connected; trying again").waitFor();
  const port = Number(new URL(before.baseUrl).port);
  const after = await createSandbox({ ...options, port });
  onTestFinished(() => after.close());
  await after.trigger("sca-pass");
  await page.getByText("Live", { exact: true }).waitFor();
  const entries = page.locator("#timeline .name");
  await expect
    .poll(() => entries.allInnerTexts())
    .toEqual(["cardsubscription.updated", "cardsubscription.created"]);
});

browserTest("reports that the sandbox is unreachable when an action fails", async () => {
  const { sandbox, page, tab, press, outcome } = await openSandbox(newPage);
  await tab("Cards");
  await page.getByRole("button", { name: "enroll", exact: true }).waitFor();
  await sandbox.close();
  await page.getByText("Not connected; trying again").waitFor();
  await press("enroll");
  await outcome.getByText("enroll was not done").waitFor();
  await outcome.getByText("the sandbox can't be reached; start it again").waitFor();
});

browserTest("reopens a refused stream", async () => {
  const sandbox = await createSandbox({ world: "empty", clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const { page } = await newPage();
  await page.clock.install();
  await page.route("**/events/stream", (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.goto(`${sandbox.controlUrl}/`);
  await page.getByText("Not connected; trying again").waitFor();
  await page.clock.runFor(2000);
  await page.getByText("Live", { exact: true }).waitFor();
});

browserTest("shows earlier events of the log", async () => {
  const { sandbox, page, timeline } = await openSandbox(newPage);
  await sandbox.trigger("enroll");
  await timeline.getByText("cardsubscription.created").waitFor();
  await page.reload();
  await timeline.getByText("cardsubscription.created").waitFor();
});

browserTest("shows the new log after a reset by another client", async () => {
  const { sandbox, timeline } = await openSandbox(newPage);
  await sandbox.trigger("enroll");
  await sandbox.trigger("sca-pass");
  const entries = timeline.locator(".head");
  await expect.poll(() => entries.count()).toBe(2);
  await sandbox.reset({ world: "empty" });
  await expect.poll(() => entries.count()).toBe(0);
  await sandbox.trigger("enroll");
  await expect.poll(() => entries.count()).toBe(1);
});

browserTest("with 10,000 transactions it shows the latest and redraws only changes", async () => {
  const { sandbox, page, resources, watched } = await openSandbox(newPage, {
    world: "large",
    validate: false,
  });
  const { counts } = await sandbox.status();
  expect(counts.transactions).toBeGreaterThanOrEqual(10_000);
  const items = resources.locator(".rows > li");
  await expect.poll(() => items.count()).toBe(20);
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(4000);
  await items.evaluateAll((all) => {
    for (const one of all) one.querySelector(".line")?.setAttribute("data-seen", "");
  });
  await sandbox.trigger("purchase", { merchant: { descriptor: "THE LATEST" } });
  await items.first().getByText("THE LATEST").waitFor();
  expect(await items.count()).toBe(20);
  expect(await resources.locator("[data-seen]").count()).toBe(19);
  await resources.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => items.count()).toBe(40);
  expectNoErrors(watched);
});

browserTest("keeps at most 200 events, even if many arrive at once", async () => {
  const { sandbox, timeline } = await openSandbox(newPage);
  for (let n = 0; n < 110; n += 1) await sandbox.trigger("enroll");
  for (let n = 0; n < 110; n += 1) await sandbox.trigger("sca-pass");
  const entries = timeline.locator(".rows > li");
  await expect.poll(() => entries.first().getAttribute("data-key")).toBe("220");
  expect(await entries.count()).toBe(200);
  expect(await entries.last().getAttribute("data-key")).toBe("21");
});
