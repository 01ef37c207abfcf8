import { expect, onTestFinished } from "vitest";
import { createSdkTokenHandler } from "../../../src/client/sdk/index.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { bundle } from "../../client/browser-bundle.ts";
import { mount } from "../../client/sdk-fixture.ts";
import type { WatchedPage } from "../../support/browser.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { startServer } from "../../support/local-server.ts";

const PAGE = (sandbox: string) => `<!doctype html>
<html lang="en">
  <title>An integrator's own page</title>
  <button id="enroll">Enroll a card</button>
  <script src="${sandbox}/sdk.js"></script>
  <script type="module" src="/page.js"></script>
</html>`;

/** A page with a strict CSP: no inline style or script, and no other origin but the sandbox. */
const POLICY = (origin: string) =>
  `default-src 'none'; script-src 'self' ${origin}; connect-src 'self' ${origin}; img-src 'self'`;

/** A test may change `parameters` before the form opens. */
const SCRIPT = (subaccountId: string) => `
  import { createGetAccessToken } from "/txfeed.js";
  const askRoute = createGetAccessToken({ url: "/sdk-token" });
  window.calls = [];
  window.tokenRequests = 0;
  window.parameters = {
    companyName: "Meridian Tools",
    subaccountId: ${JSON.stringify(subaccountId)},
    getAccessToken: () => askRoute(),
    onSuccess: (data) => calls.push({ onSuccess: data }),
    onError: ({ code, message }) => calls.push({ onError: code, message }),
    onCancel: () => calls.push({ onCancel: true }),
  };
  window.open = (changed = {}) => {
    const all = { ...window.parameters, ...changed };
    const { getAccessToken } = all;
    TxfeedSandbox.openForm({
      ...all,
      getAccessToken: getAccessToken && (() => {
        window.tokenRequests += 1;
        return getAccessToken();
      }),
    });
  };
  document.querySelector("#enroll").addEventListener("click", () => window.open());
  document.documentElement.dataset.ready = "";
`;

/** The calls of the page's callbacks. */
export interface Called {
  readonly onSuccess?: { readonly subscriptionId: string; readonly cardId: string };
  readonly onError?: string;
  readonly message?: string;
  readonly onCancel?: true;
}

/** A sandbox, and an integrator's site on another origin with a token route and a page. */
export async function startFixture() {
  const sandbox = await createSandbox({ world: "empty", validate: true, clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const [account] = sandbox.accounts;
  const { accountId, sdkClientId, sdkClientSecret } = account;
  const { result } = await sandbox.trigger("open-subaccount", { accountId });
  const { subaccountId } = result;
  const clock = new FakeClock();
  const handler = createSdkTokenHandler({
    ...{ accountId, sdkClientId, sdkClientSecret, baseUrl: sandbox.baseUrl, clock },
    authorize: () => true,
  });
  const route = mount(handler);
  const library = await bundle("src/client/browser/index.ts");
  const site = await startServer((request, response) => {
    const script = { "content-type": "text/javascript" };
    const headers = {
      "content-type": "text/html",
      "content-security-policy": POLICY(sandbox.baseUrl),
    };
    if (request.url === "/") response.writeHead(200, headers).end(PAGE(sandbox.controlUrl));
    else if (request.url === "/txfeed.js") response.writeHead(200, script).end(library);
    else if (request.url === "/page.js") response.writeHead(200, script).end(SCRIPT(subaccountId));
    else if (request.url === "/sdk-token") void route(request, response);
    else response.writeHead(204).end();
  });
  onTestFinished(() => site.close());
  const subscriptions = async () => {
    const all = await sandbox.resources("card-subscriptions");
    return all.map(({ body }) => body as { id: string; state: string; cardId: string });
  };
  return {
    sandbox,
    account,
    subaccountId,
    site: site.origin,
    /** Advances the time of the sandbox and the integrator's server. */
    pass: async (seconds: number) => {
      await sandbox.advance(`${seconds}s`);
      await clock.advance(seconds * 1000);
    },
    subscriptions,
    states: async () => (await subscriptions()).map(({ state }) => state),
  };
}

/** The fixture with the integrator's page in a browser on a frozen clock. */
export async function openFixture(newPage: () => Promise<WatchedPage>) {
  const fixture = await startFixture();
  const { page, pageErrors } = await newPage();
  await page.clock.install({ time: 0 });
  await page.goto(fixture.site);
  await page.waitForSelector("html[data-ready]");
  await page.clock.pauseAt(60_000);
  const called = () => page.evaluate<Called[]>("calls");
  const dialog = page.getByRole("dialog", { name: "Enroll a card with Meridian Tools" });
  const press = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
  return {
    ...fixture,
    page,
    called,
    dialog,
    press,
    /** The form's first card. */
    card: dialog.getByRole("radio").first(),
    /** Opens the form as a user and submits it with a card. */
    choose: async (card: string) => {
      await page.getByRole("button", { name: "Enroll a card" }).click();
      await dialog.getByRole("radio", { name: card }).check();
      await press("Enroll");
    },
    /** Opens the form with some parameters replaced by an object's source. */
    openForm: (changed = "{}") => page.evaluate(`window.open(${changed})`),
    tokenRequests: () => page.evaluate<number>("tokenRequests"),
    /** The callback calls, after the first one and enough time for a second. */
    calls: async () => {
      await expect.poll(async () => (await called()).length).toBeGreaterThan(0);
      await page.clock.runFor(60_000);
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(pageErrors).toEqual([]);
      return called();
    },
  };
}
