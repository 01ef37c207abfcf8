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
  await page.getByText("reqSCA").waitFor();
  await before.close();
  await page.getByText("Not connected; trying again").waitFor();
  const port = Number(new URL(before.baseUrl).port);
  const after = await createSandbox({ ...options, port });
  onTestFinished(() => after.close());
  await after.trigger("sca-pass");
  await page.getByText("Live", { exact: true }).waitFor();
  const subscriptions = page.getByRole("region", { name: "Subscriptions" });
  await subscriptions.getByText("active", { exact: true }).waitFor();
  const entries = page.getByRole("region", { name: "Events" }).locator("li strong");
  await expect
    .poll(() => entries.allInnerTexts())
    .toEqual(["cardsubscription.updated", "cardsubscription.created"]);
});

browserTest("reports that the sandbox is unreachable when an action fails", async () => {
  const { sandbox, page, press, outcome } = await openSandbox(newPage);
  await sandbox.close();
  await page.getByText("Not connected; trying again").waitFor();
  await press("purchase");
  await outcome.getByText("purchase was not done").waitFor();
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
  const { sandbox, page, section } = await openSandbox(newPage);
  await sandbox.trigger("enroll");
  await section("Events").getByText("cardsubscription.created").waitFor();
  await page.reload();
  await section("Events").getByText("cardsubscription.created").waitFor();
});

browserTest("shows the new log after a reset by another client", async () => {
  const { sandbox, section } = await openSandbox(newPage);
  await sandbox.trigger("enroll");
  await sandbox.trigger("sca-pass");
  const entries = section("Events").getByRole("listitem");
  await expect.poll(() => entries.count()).toBe(2);
  await sandbox.reset({ world: "empty" });
  await expect.poll(() => entries.count()).toBe(0);
  await sandbox.trigger("enroll");
  await expect.poll(() => entries.count()).toBe(1);
});

browserTest("with 10,000 transactions it shows the latest and redraws only changes", async () => {
  const { sandbox, page, section, watched } = await openSandbox(newPage, {
    world: "large",
    validate: false,
  });
  const { counts } = await sandbox.status();
  expect(counts.transactions).toBeGreaterThanOrEqual(10_000);
  const items = section("Transactions").locator(".items > li");
  await expect.poll(() => items.count()).toBe(10);
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(4000);
  await items.evaluateAll((all) => {
    for (const one of all) one.setAttribute("data-seen", "");
  });
  await sandbox.trigger("purchase", { merchant: { descriptor: "THE LATEST" } });
  await items.first().getByText("THE LATEST").waitFor();
  expect(await items.count()).toBe(10);
  expect(await section("Transactions").locator("[data-seen]").count()).toBe(9);
  await page.getByRole("button", { name: "Show more transactions" }).click();
  await expect.poll(() => items.count()).toBe(20);
  expectNoErrors(watched);
});

browserTest("keeps at most 200 events, even if many arrive at once", async () => {
  const { sandbox, section } = await openSandbox(newPage);
  for (let n = 0; n < 110; n += 1) await sandbox.trigger("enroll");
  for (let n = 0; n < 110; n += 1) await sandbox.trigger("sca-pass");
  const entries = section("Events").getByRole("listitem");
  await expect.poll(() => entries.first().getAttribute("value")).toBe("220");
  expect(await entries.count()).toBe(200);
  expect(await entries.last().getAttribute("value")).toBe("21");
});
