import { bug, type Mutation } from "../mutation.ts";
import type { Json } from "../rewrite.ts";
import * as is from "./conditions.ts";
import { change, drop, repeat, resend, update } from "./operations.ts";

const SUBSCRIBED = "cardsubscription.created";
const UPDATED = "cardsubscription.updated";
const CONNECTION = "bankaccount.state_changed";
const FEED = "networkbulkfeed.statechanged";
const LINK = "banklink.completed";
const PURCHASE = "transaction.created";
const SETTLEMENT = "transaction.updated";
const MATCH = "transaction.match.created";
const RETRACTION = "transaction.match.deleted";
const POSTING = "banktransaction.created";
const REMOVAL = "banktransaction.deleted";

const [lost, expired, active] = ["disconnected", "auth_required", "active"];
const expires = is.shows({ state: expired });

function unlink(body: Json): void {
  delete body.bankAccountId;
  delete body._links.bankAccount;
}

const set = (values: object) => (body: Json) => void Object.assign(body, values);

/** A change of a connection, which has no details. */
const connection = (state: string | undefined, previousState: string | undefined) =>
  resend(CONNECTION, ({ id }) => {
    return { bankAccountId: id, state, previousState, reason: null, expiresAt: null };
  });

const feedAgain = resend(FEED, (_, work) => ({ updatedAt: work.now() }));

/** Bugs that show only after a sequence of steps. */
export const sequenceFaults: readonly Mutation[] = [
  // Card subscriptions.
  bug("seq/end-of-linked-unannounced", "SUB-09.every-change").is(
    "The end of a subscription is not announced once its card was linked to a bank",
    drop(UPDATED, is.isEnd, is.wasLinked),
  ),
  bug("seq/end-unlinks", "SUB-07.gains-account").is(
    "The end of a linked subscription removes its bank account",
    change(UPDATED, unlink, is.isEnd, is.wasLinked),
  ),
  bug("seq/end-of-upgraded-unlinks", "SUB-06.same-account").is(
    "The end of an upgraded subscription removes its bank account",
    change(UPDATED, unlink, is.isEnd, is.wasUpgraded),
  ),
  bug("seq/link-revives", "SUB-07.state-kept").is(
    "Linking the card of an ended subscription activates it again",
    change(UPDATED, set({ state: active }), is.isLinked, is.isEnd),
  ),
  bug("seq/link-of-ended-unannounced", "SUB-07.updated").is(
    "Linking the card of an ended subscription is not announced",
    drop(UPDATED, is.isLinked, is.isEnd),
  ),
  bug("seq/sca-unlinks", "SUB-07.gains-account").is(
    "Clearing SCA removes the bank account that was linked while in reqSCA",
    change(UPDATED, unlink, is.isScaCleared, is.wasLinked, is.not(is.wasUpgraded)),
  ),
  bug("seq/sca-again-announced", "SUB-09.no-empty-update").is(
    "A second clearing of SCA is announced as an update",
    repeat("sca-pass", update({})),
  ),
  bug("seq/sca-revives", "SUB-05.no-other-move").is(
    "Clearing SCA activates an ended subscription",
    repeat("sca-pass", update({ state: active }, "deactivated")),
  ),
  bug("seq/upgrade-again", "SUB-05.no-other-move").is(
    "A second upgrade asks for SCA again",
    repeat("upgrade", update({ state: "reqSCA" }, active)),
  ),
  bug("seq/upgrade-resets-creation", "SUB-06.same-id").is(
    "An upgrade resets createdAt",
    change(UPDATED, (body) => set({ createdAt: body.updatedAt })(body), is.isUpgrade),
  ),
  bug("seq/link-again-announced", "SUB-09.no-empty-update").is(
    "Linking a card to the same account again is announced as an update",
    repeat("link-card", update({})),
  ),
  bug("seq/end-again-announced", "SUB-09.no-empty-update").is(
    "A second deactivation is announced as an update",
    repeat("deactivate", update({})),
  ),
  bug("seq/recovery-revives", "SUB-05.no-other-move").is(
    "The recovery of an account activates the ended subscriptions of its cards",
    change(
      CONNECTION,
      (body, past) => {
        for (const one of is.endedAt(body, past)) update({ state: active })(one, past.work);
      },
      is.shows({ state: active }),
      (body, past) => is.endedAt(body, past).length > 0,
    ),
  ),
  bug("seq/enrollment-beside-a-feed", "SUB-04.single-starts").is(
    "A card that is enrolled while a feed is undecided needs no SCA",
    change(
      SUBSCRIBED,
      set({ state: active }),
      is.shows({ enrollmentType: "cardholder-single" }),
      is.isBesideFeed,
    ),
  ),

  // Connections, links and feeds.
  bug("seq/stale-previous-state", "BAC-03.chain").is(
    "previousState is that before the recovery, if a consent expired and recovered",
    change(CONNECTION, set({ previousState: expired }), is.isRenewed, is.not(expires)),
  ),
  bug("seq/second-expiry-unannounced", "BAC-04.expiring").is(
    "A consent that expires again after its renewal is not announced",
    drop(CONNECTION, expires, is.isRenewed),
  ),
  bug("seq/second-expiry-without-reason", "BAC-04.expiring").is(
    "A consent that expires again after its renewal is announced without a reason",
    change(CONNECTION, set({ reason: null }), expires, is.isRenewed),
  ),
  bug("seq/loss-again-announced", "BAC-01.not-without-change").is(
    "A second loss of a connection is announced",
    repeat("disconnect", connection(lost, active)),
  ),
  bug("seq/recovery-again-announced", "BAC-01.not-without-change").is(
    "A second recovery of a connection is announced",
    repeat("recover", connection(active, lost)),
  ),
  bug("seq/second-loss-of-bank-unannounced", "BAC-04.lost-active").is(
    "A loss is not announced while another account of the customer is disconnected",
    drop(CONNECTION, is.shows({ state: lost }), is.isBesideLoss),
  ),
  bug("seq/completion-again-announced", "BLK-02.exactly-one").is(
    "The notification of a completed link sends banklink.completed again",
    repeat("link-complete", resend(LINK)),
  ),
  bug("seq/acceptance-again-announced", "NBF-04.no-other-move").is(
    "A second acceptance of a feed is announced",
    repeat("feed-accept", feedAgain),
  ),
  bug("seq/rejection-again-announced", "NBF-04.no-other-move").is(
    "A second rejection of a feed is announced",
    repeat("feed-reject", feedAgain),
  ),

  // What follows a change of the connection of its own account.
  bug("seq/upgrade-while-expired", "SUB-06.updated").is(
    "An upgrade is not announced while the consent to the card's account has expired",
    drop(UPDATED, is.isUpgrade, is.isWhile(expired)),
  ),
  bug("seq/sca-while-lost", "SUB-09.every-change").is(
    "Clearing SCA is not announced while the card's account is disconnected",
    drop(UPDATED, is.isScaCleared, is.isWhile(lost)),
  ),
  bug("seq/end-while-lost", "SUB-09.every-change").is(
    "The end of a subscription is not announced while its account is disconnected",
    drop(UPDATED, is.isEnd, is.isWhile(lost)),
  ),
  bug("seq/upgrade-after-movement-unlinks", "SUB-06.same-account").is(
    "An upgrade removes the bank account if the bank has posted a movement on it",
    change(UPDATED, unlink, is.isUpgrade, is.hasMovement),
  ),
  bug("seq/link-to-renewed-unannounced", "SUB-07.updated").is(
    "Linking a card to an account whose consent was renewed is not announced",
    drop(UPDATED, is.isLinked, is.isAfter(expired)),
  ),
  bug("seq/completion-beside-a-feed", "BLK-02.exactly-one").is(
    "The completion of a link is not announced while a feed is undecided",
    drop(LINK, is.isBesideFeed),
  ),
  bug("seq/expiry-after-loss-without-reason", "BAC-04.expiring").is(
    "The expiry of a consent has no reason once the connection was lost and recovered",
    change(CONNECTION, set({ reason: null }), expires, is.isAfter(lost)),
  ),
  bug("seq/movement-after-renewal", "TXN-15.transaction-event").is(
    "A bank-only movement creates no transaction once the consent was renewed",
    drop(PURCHASE, is.isBankOnly, is.isAfter(expired)),
  ),
  bug("seq/posting-after-two-losses", "BTX-01.owed").is(
    "Postings are not announced once an account with an expired consent was lost",
    drop(POSTING, is.isLostTwice),
  ),
  bug("seq/removal-while-lost", "BTX-04.owed").is(
    "The removal of a posting is not announced while its account is disconnected",
    drop(REMOVAL, is.isWhile(lost)),
  ),
  bug("seq/retraction-while-expired", "BTX-05.retracted").is(
    "The match of a removed posting is not retracted while the consent has expired",
    drop(RETRACTION, is.isRemoval, is.isWhile(expired)),
  ),
  bug("seq/rematch-while-lost", "MAT-07.old-deleted").is(
    "A re-match does not announce the end of the old match while disconnected",
    drop(RETRACTION, is.isRematch, is.isWhile(lost)),
  ),
  bug("seq/clearing-while-expired", "TXN-13.updated").is(
    "The clearing of a settled purchase is not announced while the consent has expired",
    drop(SETTLEMENT, is.isClearingOfSettled, is.isWhile(expired)),
  ),
  bug("seq/purchase-while-expired", "WHK-05.owed").is(
    "A purchase is not announced while the consent to its card's account has expired",
    drop(PURCHASE, is.isPurchase, is.isWhile(expired)),
  ),
  bug("seq/purchase-after-loss", "WHK-05.owed").is(
    "A purchase is not announced once the connection of its account was recovered",
    drop(PURCHASE, is.isPurchase, is.isAfter(lost)),
  ),
  bug("seq/purchase-after-renewal", "WHK-05.owed").is(
    "A purchase is not announced once the consent to its account was renewed",
    drop(PURCHASE, is.isPurchase, is.isAfter(expired)),
  ),
  bug("seq/clearing-after-loss", "TXN-13.updated").is(
    "The clearing of a settled purchase is not announced once its connection was recovered",
    drop(SETTLEMENT, is.isClearingOfSettled, is.isAfter(lost)),
  ),
  bug("seq/sync-beside-a-lost-account", "BTX-01.owed").is(
    "Postings are not announced while another account of the customer is disconnected",
    drop(POSTING, is.isBesideLoss),
  ),

  // Purchases, postings and matches.
  bug("seq/second-rematch-reuses-id", "MAT-07.new-ids").is(
    "The second re-match of a purchase restores the id of its first match",
    change(
      MATCH,
      (body, { own }) => {
        body.matchId = own.find(({ name }) => name === MATCH)?.body.matchId;
      },
      is.wasRetractedTwice,
    ),
  ),
  bug("seq/removal-after-rematch", "BTX-05.retracted").is(
    "The match of a removed posting is not retracted if it is a re-match",
    drop(RETRACTION, is.isRemoval, is.wasRematched),
  ),
  bug("seq/removal-after-clearing", "BTX-05.retracted").is(
    "The match of a removed posting is not retracted once the network has cleared",
    drop(RETRACTION, is.isRemoval, is.isCleared),
  ),
  bug("seq/rematch-after-clearing", "MAT-07.old-deleted").is(
    "A re-match does not announce the end of the old match once the network has cleared",
    drop(RETRACTION, is.isRematch, is.isCleared),
  ),
  bug("seq/removal-again-announced", "BTX-04.owed").is(
    "A second removal of a posting is announced with a new time",
    repeat(
      "provider-remove",
      resend(REMOVAL, (_, __, { deletedAt }) => {
        return { deletedAt: new Date(Date.parse(deletedAt) + 1_000).toISOString() };
      }),
    ),
  ),
  bug("seq/netting-after-recovery", "TXN-14.netted").is(
    "A bank-only transaction is not revised once a connection was lost and recovered",
    change(
      SETTLEMENT,
      (body, { own }) => {
        const amount = own.find(({ name }) => name === PURCHASE)?.body.transactionSettledAmount;
        set({ transactionSettledAmount: amount, cardholderBillingSettledAmount: amount })(body);
      },
      is.isNetting,
      is.hasRecovery,
    ),
  ),
  bug("seq/clearing-of-ended-card", "TXN-13.updated").is(
    "The clearing of a settled purchase is not announced if its card has ended",
    drop(SETTLEMENT, is.isClearingOfSettled, is.isOfEndedCard),
  ),
  bug("seq/clearing-reopens", "TXN-13.stays-settled").is(
    "The clearing of a settled purchase makes it PENDING if its card has ended",
    change(SETTLEMENT, set({ status: "PENDING" }), is.isClearingOfSettled, is.isOfEndedCard),
  ),
  bug("seq/settlement-without-update", "TXN-12.updated").is(
    "A purchase is settled silently if its account was reconnected since its purchase",
    drop(SETTLEMENT, is.isSettledByBank, is.isReconnected),
  ),
];
