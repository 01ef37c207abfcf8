import type { Driver, DriverContext } from "../driver.ts";

/**
 * Drives the sandbox through its control API (`txfeed conformance --driver sandbox`). Use it as an
 * example for your own driver, and omit unsupported verbs: their checks are skipped.
 */
export default function sandboxDriver({ baseUrl }: Pick<DriverContext, "baseUrl">): Driver {
  const control = `${new URL(baseUrl).origin}/_sandbox`;

  // biome-ignore lint/suspicious/noExplicitAny: each path returns different JSON
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(control + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const trigger = async (verb: string, params: object) =>
    (await call("POST", `/verbs/${verb}`, params)).result;

  const endpoints = new Map<string, string>();

  return {
    async subscribe({ url, events }) {
      const { id } = await call("POST", "/endpoints", { url, events });
      endpoints.set(url, id);
    },
    async unsubscribe({ url }) {
      await call("DELETE", `/endpoints/${endpoints.get(url)}`);
      endpoints.delete(url);
    },
    settle: () => call("POST", "/settle"),
    async advance({ seconds }) {
      await call("POST", "/clock/advance", { by: `${seconds}s` });
    },

    async enroll({ network } = {}) {
      const { subscriptionId, cardId } = await trigger("enroll", { network });
      // The interface never shows a card number.
      const card = await call("GET", `/resources/cards/${cardId}`);
      return { subscriptionId, cardId, last4: card.hidden.last4 };
    },
    clearSca: (subscription) => trigger("sca-pass", subscription),
    deactivate: (subscription) => trigger("deactivate", subscription),
    upgrade: (subscription) => trigger("upgrade", subscription),
    linkCard: (both) => trigger("link-card", both),

    submitFeed: (feed) => trigger("feed-submit", feed),
    acceptFeed: (feed) => trigger("feed-accept", feed),
    rejectFeed: (feed) => trigger("feed-reject", feed),

    startLink({ accounts }) {
      const shown = accounts.map(({ last4, ...account }) => ({ ...account, mask: last4 }));
      return trigger("link-start", { accounts: shown });
    },
    completeLink: (link) => trigger("link-complete", link),
    expireConsent: (account) => trigger("consent-expire", account),
    disconnect: (account) => trigger("disconnect", account),
    recover: (account) => trigger("recover", account),

    authorize: ({ merchant: descriptor, ...purchase }) =>
      trigger("purchase", { ...purchase, billingCurrency: "EUR", merchant: { descriptor } }),
    clear: (purchase) =>
      trigger(purchase.amount === undefined ? "clear" : "clear-partial", purchase),
    postAtBank({ merchant, type: transactionType, ...posting }) {
      const text = { description: merchant ?? "TRANSFER", merchantName: merchant ?? null };
      return trigger("bank-post", { ...posting, ...text, transactionType });
    },
    async tellLate({ amount, merchant: descriptor, confidence, ...ids }) {
      // With a confidence, the sandbox chooses the amount, the merchant and the date.
      const details = confidence ? { confidence } : { amount, merchant: { descriptor } };
      const { transactionId } = await trigger("late-card-data", { ...ids, ...details });
      return { transactionId, ...(confidence && { confidence }) };
    },
    removeAtProvider: (posting) => trigger("provider-remove", posting),
    retireDuplicate: (posting) => trigger("retire-duplicate", posting),
    rematch: (purchase) => trigger("rematch", purchase),
    enrich: (message) => trigger("enrich", message),

    async snapshot({ name }) {
      await call("PUT", `/snapshots/${name}`);
    },
    async restore({ name }) {
      await call("POST", `/snapshots/${name}/restore`);
    },
  };
}
