import type { ClaimId } from "../../generated/requirements.ts";
import { bug } from "../bugs.ts";
import type { Mutation } from "../mutation.ts";
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

/** What can be left unannounced: which of the events. */
const ANNOUNCED = {
  end: ["The end of a subscription", UPDATED, is.isEnd],
  clearance: ["The clearing of SCA", UPDATED, is.isScaCleared],
  upgrade: ["An upgrade", UPDATED, is.isUpgrade],
  link: ["The link of a card to an account", UPDATED, is.isLinked],
  expiry: ["The expiry of a consent", CONNECTION, expires],
  loss: ["The loss of a connection", CONNECTION, is.shows({ state: lost })],
  completion: ["The completion of a link", LINK, is.always],
  posting: ["A posting", POSTING, is.always],
  removal: ["The removal of a posting", REMOVAL, is.always],
  retraction: ["The retraction of a removed posting's match", RETRACTION, is.isRemoval],
  rematch: ["The end of a match that is matched again", RETRACTION, is.isRematch],
  movement: ["The transaction of a bank-only movement", PURCHASE, is.isBankOnly],
  purchase: ["A purchase", PURCHASE, is.isPurchase],
  settlement: ["The settlement of a purchase", SETTLEMENT, is.isSettledByBank],
  clearing: ["The clearing of a settled purchase", SETTLEMENT, is.isClearingOfSettled],
} as const;

/** When it is left unannounced. */
const WHEN = {
  linked: ["once its card was linked to a bank", is.wasLinked],
  ended: ["once the subscription has ended", is.isEnd],
  expired: ["while the consent to its account has expired", is.isWhile(expired)],
  lost: ["while its account is disconnected", is.isWhile(lost)],
  renewed: ["once the consent to its account was renewed", is.isAfter(expired)],
  recovered: ["once the connection of its account was recovered", is.isAfter(lost)],
  again: ["after a renewal", is.isRenewed],
  lostTwice: ["once an account with an expired consent was lost", is.isLostTwice],
  besideLoss: ["while another account is disconnected", is.isBesideLoss],
  besideFeed: ["while a feed is undecided", is.isBesideFeed],
  rematched: ["if it is a match of a repeated matching", is.wasRematched],
  cleared: ["once the network has cleared", is.isCleared],
  endedCard: ["if its card has ended", is.isOfEndedCard],
  reconnected: ["if its account was reconnected since", is.isReconnected],
} as const;

function silent(
  id: string,
  claim: ClaimId,
  what: keyof typeof ANNOUNCED,
  when: keyof typeof WHEN,
): Mutation {
  const [subject, event, isMeant] = ANNOUNCED[what];
  const [situation, isThen] = WHEN[when];
  return bug(id, claim).is(
    `${subject} is not announced ${situation}`,
    drop(event, isMeant, isThen),
  );
}

/** Bugs that show only after a sequence of steps. */
export const sequenceFaults: readonly Mutation[] = [
  // Card subscriptions.
  silent("seq/end-of-linked-unannounced", "SUB-09.every-change", "end", "linked"),
  bug("seq/end-unlinks", "SUB-07.gains-account")
    .is("The end of a linked subscription removes its bank account")
    .by(change(UPDATED, unlink, is.isEnd, is.wasLinked)),
  bug("seq/end-of-upgraded-unlinks", "SUB-06.same-account")
    .is("The end of an upgraded subscription removes its bank account")
    .by(change(UPDATED, unlink, is.isEnd, is.wasUpgraded)),
  bug("seq/link-revives", "SUB-07.state-kept")
    .is("Linking the card of an ended subscription activates it again")
    .by(change(UPDATED, set({ state: active }), is.isLinked, is.isEnd)),
  silent("seq/link-of-ended-unannounced", "SUB-07.updated", "link", "ended"),
  bug("seq/sca-unlinks", "SUB-07.gains-account")
    .is("Clearing SCA removes the bank account that was linked while in reqSCA")
    .by(change(UPDATED, unlink, is.isScaCleared, is.wasLinked, is.not(is.wasUpgraded))),
  bug("seq/sca-again-announced", "SUB-09.no-empty-update")
    .is("A second clearing of SCA is announced as an update")
    .by(repeat("sca-pass", update({}))),
  bug("seq/sca-revives", "SUB-05.no-other-move")
    .is("Clearing SCA activates an ended subscription")
    .by(repeat("sca-pass", update({ state: active }, "deactivated"))),
  bug("seq/upgrade-again", "SUB-05.no-other-move")
    .is("A second upgrade asks for SCA again")
    .by(repeat("upgrade", update({ state: "reqSCA" }, active))),
  bug("seq/upgrade-resets-creation", "SUB-06.same-id")
    .is("An upgrade resets createdAt")
    .by(change(UPDATED, (body) => set({ createdAt: body.updatedAt })(body), is.isUpgrade)),
  bug("seq/link-again-announced", "SUB-09.no-empty-update")
    .is("Linking a card to the same account again is announced as an update")
    .by(repeat("link-card", update({}))),
  bug("seq/end-again-announced", "SUB-09.no-empty-update")
    .is("A second deactivation is announced as an update")
    .by(repeat("deactivate", update({}))),
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
  bug("seq/stale-previous-state", "BAC-03.chain")
    .is("previousState is that before the recovery, if a consent expired and recovered")
    .by(change(CONNECTION, set({ previousState: expired }), is.isRenewed, is.not(expires))),
  silent("seq/second-expiry-unannounced", "BAC-04.expiring", "expiry", "again"),
  bug("seq/second-expiry-without-reason", "BAC-04.expiring")
    .is("A consent that expires again after its renewal is announced without a reason")
    .by(change(CONNECTION, set({ reason: null }), expires, is.isRenewed)),
  bug("seq/loss-again-announced", "BAC-01.not-without-change")
    .is("A second loss of a connection is announced")
    .by(repeat("disconnect", connection(lost, active))),
  bug("seq/recovery-again-announced", "BAC-01.not-without-change")
    .is("A second recovery of a connection is announced")
    .by(repeat("recover", connection(active, lost))),
  silent("seq/second-loss-of-bank-unannounced", "BAC-04.lost-active", "loss", "besideLoss"),
  bug("seq/completion-again-announced", "BLK-02.exactly-one")
    .is("The notification of a completed link sends banklink.completed again")
    .by(repeat("link-complete", resend(LINK))),
  bug("seq/acceptance-again-announced", "NBF-04.no-other-move")
    .is("A second acceptance of a feed is announced")
    .by(repeat("feed-accept", feedAgain)),
  bug("seq/rejection-again-announced", "NBF-04.no-other-move")
    .is("A second rejection of a feed is announced")
    .by(repeat("feed-reject", feedAgain)),

  // What follows a change of the connection of its own account.
  silent("seq/upgrade-while-expired", "SUB-06.updated", "upgrade", "expired"),
  silent("seq/sca-while-lost", "SUB-09.every-change", "clearance", "lost"),
  silent("seq/end-while-lost", "SUB-09.every-change", "end", "lost"),
  bug("seq/upgrade-after-movement-unlinks", "SUB-06.same-account")
    .is("An upgrade removes the bank account if the bank has posted a movement on it")
    .by(change(UPDATED, unlink, is.isUpgrade, is.hasMovement)),
  silent("seq/link-to-renewed-unannounced", "SUB-07.updated", "link", "renewed"),
  silent("seq/completion-beside-a-feed", "BLK-02.exactly-one", "completion", "besideFeed"),
  bug("seq/expiry-after-loss-without-reason", "BAC-04.expiring")
    .is("The expiry of a consent has no reason once the connection was lost and recovered")
    .by(change(CONNECTION, set({ reason: null }), expires, is.isAfter(lost))),
  silent("seq/movement-after-renewal", "TXN-15.transaction-event", "movement", "renewed"),
  silent("seq/posting-after-two-losses", "BTX-01.owed", "posting", "lostTwice"),
  silent("seq/removal-while-lost", "BTX-04.owed", "removal", "lost"),
  silent("seq/retraction-while-expired", "BTX-05.retracted", "retraction", "expired"),
  silent("seq/rematch-while-lost", "MAT-07.old-deleted", "rematch", "lost"),
  silent("seq/clearing-while-expired", "TXN-13.updated", "clearing", "expired"),
  silent("seq/purchase-while-expired", "WHK-05.owed", "purchase", "expired"),
  silent("seq/purchase-after-loss", "WHK-05.owed", "purchase", "recovered"),
  silent("seq/purchase-after-renewal", "WHK-05.owed", "purchase", "renewed"),
  silent("seq/clearing-after-loss", "TXN-13.updated", "clearing", "recovered"),
  silent("seq/sync-beside-a-lost-account", "BTX-01.owed", "posting", "besideLoss"),

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
  silent("seq/removal-after-rematch", "BTX-05.retracted", "retraction", "rematched"),
  silent("seq/removal-after-clearing", "BTX-05.retracted", "retraction", "cleared"),
  silent("seq/rematch-after-clearing", "MAT-07.old-deleted", "rematch", "cleared"),
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
  silent("seq/clearing-of-ended-card", "TXN-13.updated", "clearing", "endedCard"),
  bug("seq/clearing-reopens", "TXN-13.stays-settled")
    .is("The clearing of a settled purchase makes it PENDING if its card has ended")
    .by(change(SETTLEMENT, set({ status: "PENDING" }), is.isClearingOfSettled, is.isOfEndedCard)),
  silent("seq/settlement-without-update", "TXN-12.updated", "settlement", "reconnected"),
];
