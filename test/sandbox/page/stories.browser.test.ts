import type { Page } from "playwright-core";
import { expect } from "vitest";
import { STORIES } from "../../../src/sandbox/page/app/stories.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

const SHARE = ["banklink.completed"];
const ENROLL = ["cardsubscription.created", "cardsubscription.updated", "cardsubscription.updated"];
const BUY = ["transactionmessage.created", "transaction.created"];
const MOVEMENT = ["banktransaction.created", "transactionmessage.created", "transaction.created"];
const SETTLE = ["transactionmessage.created", "transaction.updated"];
const POST = ["banktransaction.created", "transaction.match.created", ...SETTLE];

/** The events of each step, by the interface. */
const EXPECTED: Record<string, readonly (readonly string[])[]> = {
  "A purchase that a bank settles": [SHARE, ENROLL, BUY, POST, SETTLE],
  "A bank-only movement": [SHARE, MOVEMENT],
  "A purchase in two parts": [SHARE, ENROLL, BUY, SETTLE, POST, SETTLE, POST],
  "Late card data": [
    ...[SHARE, ENROLL, MOVEMENT, BUY],
    // The bank-only transaction is netted before the settlement.
    ["transaction.match.created", "transaction.updated", ...SETTLE],
  ],
  "An upgrade of a bank-feed card": [
    ["banklink.completed", "cardsubscription.created"],
    ["cardsubscription.updated"],
    MOVEMENT,
    ["cardsubscription.updated"],
    BUY,
  ],
  "A deleted posting": [
    ...[SHARE, ENROLL, BUY, POST],
    ["banktransaction.deleted", "transaction.match.deleted"],
  ],
  "A consent that expires": [
    ...[SHARE, ["bankaccount.state_changed"], []],
    ["bankaccount.state_changed", ...MOVEMENT],
  ],
};

const next = (page: Page) => page.locator("#story-next");
const stepIsDone = (page: Page, step: number, of: number) =>
  page.locator("#story-status").getByText(`Step ${step} of ${of} is done.`).waitFor();

browserTest("every story is expected below", () => {
  expect(STORIES.map(({ title }) => title)).toEqual(Object.keys(EXPECTED));
});

browserTest.each(
  (["empty", "small"] as const).flatMap((world) =>
    STORIES.map(({ title, steps }) => ({ world, title, steps })),
  ),
)("in the $world world, the story “$title” plays to its end", async ({ world, title, steps }) => {
  const fixture = await openSandbox(newPage, { world });
  const { sandbox, page, story, timeline, watched } = fixture;
  await story.getByRole("combobox", { name: "Story" }).selectOption(title);
  const expected = EXPECTED[title] ?? [];
  expect(steps).toHaveLength(expected.length);
  for (const [index, { sentence, button }] of steps.entries()) {
    const [current] = await story.locator("[aria-current=step] > p").allInnerTexts();
    expect(current).toBe(sentence);
    expect(await next(page).innerText()).toBe(button);
    const before = (await sandbox.events()).length;
    await next(page).click();
    await stepIsDone(page, index + 1, steps.length);
    const sent = (await sandbox.events({ after: before })).map(({ name }) => name);
    expect([button, sent]).toEqual([button, expected[index]]);
    const marked = timeline.locator(".head").filter({ hasText: "new" }).locator(".name");
    await expect.poll(() => marked.allInnerTexts()).toEqual([...sent].reverse());
    const shown = story.locator("#steps > li").nth(index).locator(".chip");
    expect(await shown.allInnerTexts()).toEqual(sent);
  }
  expect(await next(page).innerText()).toBe("Next story");
  expectNoErrors(watched);
});

browserTest("an event of a step opens in the timeline", async () => {
  const { sandbox, page, story, timeline } = await openSandbox(newPage);
  await next(page).click();
  await stepIsDone(page, 1, 5);
  await story.getByRole("button", { name: "banklink.completed" }).click();
  const payload = timeline.getByRole("region", { name: "Payload" });
  const [event] = await sandbox.events();
  expect(JSON.parse(await payload.innerText())).toEqual(event?.body);
});

browserTest("the first story can be played with the keyboard alone", async () => {
  const { sandbox, page } = await openSandbox(newPage);
  const focused = () => page.evaluate("document.activeElement.id");
  for (let tabs = 0; (await focused()) !== "story-next"; tabs += 1) {
    expect(tabs).toBeLessThan(20);
    await page.keyboard.press("Tab");
  }
  for (let step = 1; step <= 5; step += 1) {
    await page.keyboard.press("Enter");
    await stepIsDone(page, step, 5);
    expect(await focused()).toBe("story-next");
  }
  const [transaction] = await sandbox.resources("transactions");
  expect(transaction?.body).toMatchObject({ status: "SETTLED" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => next(page).innerText()).toBe("Share the bank account");
  expect(await focused()).toBe("story-next");
});

browserTest("Next story leads through all stories, and Start again to the first step", async () => {
  const { page, story } = await openSandbox(newPage);
  const select = story.getByRole("combobox", { name: "Story" });
  await select.selectOption("A bank-only movement");
  await next(page).click();
  await stepIsDone(page, 1, 2);
  await story.getByRole("button", { name: "Start again" }).click();
  expect(await next(page).innerText()).toBe("Share the bank account");
  for (const step of [1, 2]) {
    await next(page).click();
    await stepIsDone(page, step, 2);
  }
  await next(page).click();
  expect(await select.locator("option:checked").innerText()).toBe("A purchase in two parts");
});

browserTest("a step that is refused shows why, and continues after the remedy", async () => {
  const { sandbox, page, story, outcome } = await openSandbox(newPage);
  await story.getByRole("combobox", { name: "Story" }).selectOption("A consent that expires");
  await next(page).click();
  await stepIsDone(page, 1, 4);
  await sandbox.trigger("disconnect");
  await next(page).click();
  await story.getByRole("alert").getByText("is disconnected: run recover first.").waitFor();
  await story.getByRole("button", { name: "Run recover" }).click();
  await outcome.getByText("It sent 1 event").waitFor();
  await next(page).click();
  await stepIsDone(page, 2, 4);
  expect(await story.getByRole("alert").count()).toBe(0);
});

browserTest(
  "a reload in mid-story keeps its steps, their events and what they created",
  async () => {
    const { sandbox, page, story, timeline, watched } = await openSandbox(newPage);
    const select = story.getByRole("combobox", { name: "Story" });
    await select.selectOption("A deleted posting");
    for (const step of [1, 2, 3]) {
      await next(page).click();
      await stepIsDone(page, step, 5);
    }
    const shown = () => story.innerText();
    const before = await shown();
    await page.reload();
    await expect.poll(shown).toBe(before);
    await expect.poll(() => timeline.getByText("new", { exact: true }).count()).toBe(BUY.length);
    for (const step of [4, 5]) {
      await next(page).click();
      await stepIsDone(page, step, 5);
    }
    const names = (await sandbox.events()).map(({ name }) => name);
    expect(names).toEqual(EXPECTED["A deleted posting"]?.flat());
    expectNoErrors(watched);
  },
);

browserTest("a reload after a refused call of a step repeats no call of it", async () => {
  const { sandbox, page, story } = await openSandbox(newPage);
  await next(page).click();
  await stepIsDone(page, 1, 5);
  const refusal = { status: 409, json: { status: 409, title: "Conflict", detail: "not now" } };
  await page.route("**/verbs/link-card", (route) => route.fulfill(refusal), { times: 1 });
  await next(page).click();
  await story.getByRole("alert").getByText("not now").waitFor();
  await page.reload();
  await next(page).click();
  await stepIsDone(page, 2, 5);
  const enrolled = await sandbox.events({ name: "cardsubscription.created" });
  expect(enrolled).toHaveLength(1);
});

browserTest.each([
  { verb: "sca-pass", what: "the rest of its step follows" },
  { verb: "link-card", what: "the last call of a step ends it" },
])("a reload while $verb has no response does not repeat it: $what", async ({ verb }) => {
  const { sandbox, page, story } = await openSandbox(newPage);
  await next(page).click();
  await stepIsDone(page, 1, 5);
  let requests = 0;
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  await page.route(`**/verbs/${verb}`, async (route) => {
    requests += 1;
    // The sandbox carries it out, and the page gets no response.
    await route.fetch();
    reached();
  });
  await next(page).click();
  await isReached;
  await page.reload();
  await story.getByText("which is not sent again").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  if (verb === "sca-pass") await next(page).click();
  await stepIsDone(page, 2, 5);
  expect(requests).toBe(1);
  await next(page).click();
  await stepIsDone(page, 3, 5);
  const names = (await sandbox.events()).map(({ name }) => name);
  expect(names).toEqual([...SHARE, ...ENROLL, ...BUY]);
});

browserTest(
  "a reset of the sandbox restarts the story, also while the page is closed",
  async () => {
    const { sandbox, page, story } = await openSandbox(newPage);
    const url = page.url();
    for (const isOpen of [true, false]) {
      await next(page).click();
      await stepIsDone(page, 1, 5);
      if (!isOpen) await page.goto("about:blank");
      await sandbox.reset({ world: "empty" });
      if (!isOpen) await page.goto(url);
      await expect.poll(() => story.getByText("Done.").count()).toBe(0);
      expect(await next(page).innerText()).toBe("Share the bank account");
    }
  },
);
