import { expect, onTestFinished } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

/** Opens the hosted page of a started link. */
async function open() {
  const sandbox = await createSandbox({ world: "empty", validate: true, clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  const watched = await newPage({ viewport: { width: 360, height: 740 } });
  const { page } = watched;
  await page.goto(`${sandbox.controlUrl}/link/${bankLinkId}`);
  const sent = async () => (await sandbox.events()).map(({ name }) => name);
  const completions = async () =>
    (await sent()).filter((name) => name === "banklink.completed").length;
  return { sandbox, watched, page, completions };
}

browserTest("BLK-03: Connect completes the link at once, and once", async () => {
  const { page, watched, completions } = await open();
  expect(await page.getByRole("list").getByRole("listitem").count()).toBe(2);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("status").getByText("Your accounts are connected.").waitFor();
  expect(await completions()).toBe(1);
  expect(await page.getByRole("button").count()).toBe(0);
  await page.reload();
  await page.getByText("This consent is already complete.").waitFor();
  expectNoErrors(watched);
});

browserTest("BLK-03: if the notification is lost, polling completes it, once", async () => {
  const { sandbox, page, watched, completions } = await open();
  await page.getByRole("button", { name: "Connect without notification" }).click();
  await page.getByText("No notification was sent.").waitFor();
  expect(await completions()).toBe(0);
  await sandbox.advance("1d");
  expect(await completions()).toBe(1);
  expectNoErrors(watched);
});

browserTest("Cancel shares nothing", async () => {
  const { sandbox, page, completions } = await open();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("You have cancelled. Nothing is shared.").waitFor();
  await sandbox.advance("1d");
  expect(await completions()).toBe(0);
});

browserTest("shows why a link can't be completed", async () => {
  const { sandbox, page } = await open();
  await sandbox.reset({ world: "empty", seed: 2 });
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("status").getByText("there is no bank link").waitFor();
});

browserTest("the sandbox's page links to it until the link is completed", async () => {
  const { sandbox, page, row, tab, detail, watched } = await openSandbox(newPage);
  await sandbox.trigger("link-start");
  await tab("Links");
  await row("started").click();
  const [hosted] = await Promise.all([
    page.waitForEvent("popup"),
    detail.getByRole("link", { name: "Open the hosted page" }).click(),
  ]);
  await hosted.getByRole("button", { name: "Connect", exact: true }).click();
  await row("completed").waitFor();
  expect(await detail.getByRole("link").count()).toBe(0);
  expectNoErrors(watched);
});
