import type { Player, Script } from "./player.ts";

/** Every state of a card subscription, on each network, with and without a bank account. */
async function subscriptions(player: Player): Promise<void> {
  const { a, b, c } = player.sandbox.networks;
  const enrolled = [
    await player.do("enroll", { cardNumber: "4000000000001111", network: a }),
    await player.do("enroll", { network: b, customerReferenceId: "employee-1" }),
    await player.do("enroll", { network: c }),
    await player.do("enroll"),
  ];
  await player.do("sca-fail", { subscriptionId: enrolled[0]?.subscriptionId });
  for (const { subscriptionId } of enrolled.slice(0, 3)) {
    await player.advance("10s");
    await player.do("sca-pass", { subscriptionId });
  }
  await player.do("sca-pass", { subscriptionId: enrolled[0]?.subscriptionId });
  // The same card cannot be enrolled twice, but the same digits of another network can.
  await player.do("enroll", { cardNumber: "4000000000001111", network: a });
  await player.do("enroll", { cardNumber: "4000000000001111", network: b });
  await player.do("deactivate", { subscriptionId: enrolled[1]?.subscriptionId });
  await player.do("deactivate", { subscriptionId: enrolled[1]?.subscriptionId });
  await player.do("upgrade", { subscriptionId: enrolled[0]?.subscriptionId });
  // SUB-07 in each state.
  await player.do("link-start", { accounts: [{ name: "Later", mask: "9009" }] });
  await player.do("link-complete");
  for (const { cardId } of enrolled) {
    await player.advance("1s");
    await player.do("link-card", { cardId });
    await player.do("link-card", { cardId });
  }
  // Minted cards: upgraded by the verb, and by an enrollment of the same card.
  const accounts = [
    { type: "Credit Card", mask: "7731", network: c },
    { type: "credit", mask: "7732", network: a },
    { type: "credit", mask: "7733" },
  ];
  await player.do("link-start", { accounts });
  await player.do("link-complete");
  await player.do("upgrade");
  await player.do("sca-fail");
  await player.do("sca-pass");
  await player.do("enroll", { cardNumber: "4000000000007732", network: a });
  await player.do("enroll", { cardNumber: "4000000000007731", network: b });
  await player.do("sca-pass");
  await player.do("deactivate");
  // A card that is enrolled after its bank account was linked.
  await player.do("link-start", { accounts: [{ mask: "6006" }] });
  await player.do("link-complete");
  await player.do("enroll", { cardNumber: "4000000000006006", network: b });
  const { subaccountId } = await player.do("open-subaccount", { name: "Second office" });
  await player.do("enroll", { subaccountId });
  const [, other] = player.sandbox.accounts;
  await player.do("open-subaccount", { accountId: other.accountId });
  await player.do("enroll", { accountId: other.accountId });
  await player.do("sca-pass", { accountId: other.accountId });
  await player.do("link-card", { accountId: other.accountId });
}

/** Every state of a bulk feed. */
async function feeds(player: Player): Promise<void> {
  const { a, b, c } = player.sandbox.networks;
  for (const network of [undefined, a, b, c]) {
    const { feedId } = await player.do("feed-submit", { network, expectedCardCount: 2 });
    await player.advance("1m");
    await player.do("feed-accept", { feedId });
    await player.do("feed-accept", { feedId });
    await player.do("feed-reject", { feedId });
    const { feedId: rejected } = await player.do("feed-submit", { network });
    await player.do("feed-reject", { feedId: rejected, errorReason: "No contract" });
    await player.do("feed-accept", { feedId: rejected });
    await player.do("feed-submit", { network, expectedCardCount: 0 });
    await player.do("feed-reject");
  }
  await player.do("feed-submit");
  await player.do("feed-accept", { cards: 3 });
  await player.do("feed-accept", { cards: 1 });
  await player.do("feed-accept");
  await player.do("deactivate");
  await player.do("link-start");
  await player.do("link-complete");
  await player.do("link-card");
  await player.do("purchase");
  await player.do("bank-post");
}

export const enrollmentScripts: readonly Script[] = [
  { name: "subscriptions", world: "empty", play: subscriptions },
  { name: "feeds", world: "empty", play: feeds },
];
