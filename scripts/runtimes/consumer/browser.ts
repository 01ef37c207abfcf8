import { createGetAccessToken } from "txfeed/client/browser";
import { validateEvent } from "txfeed/contract";
import { make } from "txfeed/fixtures";
import { useClient } from "./client.ts";
import { check, facts } from "./facts.ts";

async function use(): Promise<string> {
  try {
    const getAccessToken = createGetAccessToken({ url: "/sdk-token" });
    check("the page gets its token", (await getAccessToken()) === "a-token-of-the-page");
    const payload = make("transaction.updated");
    check("an event is valid", validateEvent("transaction.updated", payload).ok);
    await useClient(location.origin);
    return JSON.stringify(facts);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

await fetch("/report", { method: "POST", body: await use() });
