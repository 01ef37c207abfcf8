import type { Player, Script } from "./player.ts";

/** Links completed by each way, with cards that were there before and with minted ones. */
async function links(player: Player): Promise<void> {
  const { networks } = player.sandbox;
  await player.do("enroll", { cardNumber: "4000000000005205", network: networks.a });
  await player.do("sca-pass");
  await player.do("enroll", { cardNumber: "4000000000005205", network: networks.b });
  const accounts = [
    { name: "Current", mask: "5205", type: "depository/checking" },
    { name: "Credit", mask: "3155", type: "CREDIT", network: networks.c },
    { mask: "3156", type: "credit card", network: networks.a, currency: "USD" },
    { mask: "0042", type: "savings" },
    { mask: "0043", type: "Something else" },
    { type: "loan" },
  ];
  const first = await player.do("link-start", { accounts, provider: "PROVIDER_B" });
  await player.do("link-complete", { bankLinkId: first.bankLinkId, by: "notification" });
  await player.do("link-complete", { bankLinkId: first.bankLinkId, by: "notification" });
  await player.do("link-complete", { bankLinkId: first.bankLinkId, by: "polling" });
  await player.advance("1h");
  // Polling, and a PATCH before the poll.
  const second = await player.do("link-start");
  await player.do("link-complete", { bankLinkId: second.bankLinkId, by: "polling" });
  await player.do("link-complete", { bankLinkId: second.bankLinkId, by: "polling" });
  for (const by of ["1s", "29s", "30s", "1m", "10m", "1h"]) await player.advance(by);
  const third = await player.do("link-start", { accounts: [{ type: "credit", mask: "4401" }] });
  await player.do("link-complete", { bankLinkId: third.bankLinkId, by: "polling" });
  await patch(player, third.bankLinkId);
  await patch(player, third.bankLinkId);
  await player.advance("1h");
  const fourth = await player.do("link-start", { accounts: [{ mask: "5205" }] });
  await patch(player, fourth.bankLinkId, "{}");
  await player.do("link-complete", { bankLinkId: fourth.bankLinkId });
  await player.advance("1h");
  await player.do("link-complete");
  await player.do("link-start", { accounts: [] });
  await player.do("link-complete");
  const [, other] = player.sandbox.accounts;
  await player.do("open-subaccount", { accountId: other.accountId });
  const foreign = await player.do("link-start", { accountId: other.accountId });
  await patch(player, foreign.bankLinkId);
  await patch(player, "00000000-0000-4000-8000-000000000000");
}

async function patch(player: Player, id: string | undefined, body?: string): Promise<void> {
  const token = await player.token();
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const headers = { authorization: `Bearer ${token}`, ...type };
  await player.request("PATCH", `/bank-links/${id}`, { headers, ...(body && { body }) });
  await player.look();
}

/** Every state of a connection, and postings while it is lost. */
async function connections(player: Player): Promise<void> {
  await player.do("enroll", { cardNumber: "4000000000005205" });
  await player.do("sca-pass");
  await player.do("link-start", { accounts: [{ mask: "5205" }, { mask: "0042" }] });
  const { bankAccountIds = [] } = await player.do("link-complete");
  const [bankAccountId, second] = bankAccountIds;
  await player.do("consent-expire", { bankAccountId });
  await player.do("consent-expire", { bankAccountId });
  const { transactionId } = await player.do("purchase", { amount: 20 });
  await player.do("bank-post", { transactionId });
  await player.do("bank-post", { bankAccountId, amount: 5, description: "KIOSK 8" });
  await player.advance("2d");
  await player.do("recover", { bankAccountId });
  await player.do("recover", { bankAccountId });
  await player.do("disconnect", { bankAccountId });
  await player.do("disconnect", { bankAccountId });
  await player.do("consent-expire", { bankAccountId });
  await player.do("bank-post", { bankAccountId, amount: 6, description: "KIOSK 9" });
  await player.do("enroll", { cardNumber: "4000000000007777" });
  await player.do("link-card", { bankAccountId });
  await player.do("recover", { bankAccountId });
  const reason = "re_authentication_needed";
  const expiresAt = "2026-02-01T00:00:00.000Z";
  await player.do("consent-expire", { bankAccountId: second, reason, expiresAt });
  await player.do("disconnect", { bankAccountId: second });
  await player.do("recover", { bankAccountId: second });
  await player.do("consent-expire", { bankAccountId: second, expiresAt: null });
  await player.do("recover");
  await player.do("disconnect");
  await player.do("consent-expire");
  await player.do("recover");
}

export const linkScripts: readonly Script[] = [
  { name: "links", world: "empty", play: links },
  { name: "connections", world: "empty", play: connections },
];
