import { createFeedClient } from "txfeed/client";
import { createSandbox } from "txfeed/sandbox";
import { createControlClient } from "txfeed/sandbox/control";
import { check } from "./facts.ts";

/** Plays a purchase until it is settled, in process and over HTTP. */
export async function useSandbox(): Promise<void> {
  const sandbox = await createSandbox({ clock: "frozen", validate: true });
  try {
    const { baseUrl, controlUrl, accounts } = sandbox;
    const { result } = await sandbox.trigger("purchase", { amount: 12.5 });
    await sandbox.advance("9h");
    const posted = await createControlClient(controlUrl).trigger("bank-post", {});
    const isAbout = posted.result.transactionId === result.transactionId;
    check("the sandbox's control client drives it", isAbout);
    const feed = createFeedClient({ baseUrl, ...accounts[0] });
    const { status } = await feed.transactions.get(result.transactionId);
    check("the sandbox settles a purchase", status === "SETTLED");
    const page = await fetch(`${controlUrl}/`);
    const [, script = ""] = /src="([^"]*page\.js)"/.exec(await page.text()) ?? [];
    const { status: served } = await fetch(new URL(script, `${controlUrl}/`));
    check("the sandbox serves its page and the page's script", script !== "" && served === 200);
    const { status: sdk } = await fetch(`${controlUrl}/sdk.js`);
    check("the sandbox serves the enrollment SDK", sdk === 200);
    check("the sandbox keeps to the contract", sandbox.violations.length === 0);
  } finally {
    await sandbox.close();
  }
}
