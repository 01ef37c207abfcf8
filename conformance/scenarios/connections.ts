import type { Situation } from "../../generated/requirements.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { drive, driveAndWait, runScenarios, type Scenarios, type VerbOutcome } from "./act.ts";
import { findEvents } from "./find-deliveries.ts";
import { mintedCards } from "./links.ts";
import { readBankAccount } from "./read.ts";
import { deliveriesAfterNext, unlessRefused } from "./repetitions.ts";

type ConnectionVerb = "expireConsent" | "disconnect" | "recover";

/** A change of a bank account's connection. */
export interface ConnectionChange extends VerbOutcome<unknown> {
  readonly bankAccountId: string;
  readonly verb: ConnectionVerb;
  readonly previousState: string;
  readonly state: string;
  /** The API's response for the account after the change. */
  readonly resource: Exchange;
}

const STATES = {
  expireConsent: "auth_required",
  disconnect: "disconnected",
  recover: "active",
} as const;

/** Links one account, separately from the other scenarios. */
function connected(session: Session): Promise<string> {
  return session.share("scenario: a bank account is connected", async (own) => {
    const { bankLinkId } = await drive(own, "startLink", { accounts: [{ type: "depository" }] });
    const completion = { bankLinkId, by: "notification" } as const;
    const { result } = await driveAndWait(own, "completeLink", completion, () => (deliveries) => {
      return findEvents(deliveries, "banklink.completed", { "/bankLinkId": bankLinkId }).length > 0;
    });
    const [bankAccountId] = result.bankAccountIds;
    if (bankAccountId !== undefined) return bankAccountId;
    throw new Skip("the driver's verb completeLink returned no bankAccountIds");
  });
}

/** Each changes the state, and each move occurs twice. The last makes the account active again. */
const VERBS: readonly ConnectionVerb[] = [
  ...(["expireConsent", "disconnect", "recover"] as const),
  ...(["disconnect", "recover", "expireConsent", "recover"] as const),
  ...(["expireConsent", "recover", "disconnect", "recover"] as const),
  ...(["expireConsent", "disconnect", "recover"] as const),
];

/** Changes the connection of an active bank account several times. */
export function connectionChanges(session: Session): Promise<Scenarios<ConnectionChange>> {
  return session.share("scenario: a connection changes", async (own) => {
    return changesOf(own, await connected(own), VERBS);
  });
}

/** Changes the connection of an account that has cards, and that is not the first of its link. */
export function changesWithCards(session: Session): Promise<Scenarios<ConnectionChange>> {
  return session.share("scenario: the connection of an account with cards changes", async (own) => {
    const account = (await mintedCards(own)).at(-1)?.bankAccountId;
    if (account === undefined) throw new Skip("the completion of a bank link created no card");
    return changesOf(own, account, VERBS.slice(0, 3));
  });
}

/** Calls verbs, each of which changes the state of an active bank account. */
function changesOf(
  session: Session,
  bankAccountId: string,
  verbs: readonly ConnectionVerb[],
): Promise<Scenarios<ConnectionChange>> {
  let previousState = "active";
  const change = async (verb: ConnectionVerb): Promise<ConnectionChange> => {
    const { step, resource } = await changeOf(session, verb, bankAccountId);
    const before = previousState;
    previousState = STATES[verb];
    const states = { previousState: before, state: previousState };
    return { ...step, bankAccountId, verb, ...states, resource };
  };
  // A wrong change may prevent the next ones. Keep the results of the earlier ones.
  return runScenarios(...verbs.map((verb) => () => change(verb)));
}

async function changeOf(session: Session, verb: ConnectionVerb, bankAccountId: string) {
  const step = await driveAndWait(session, verb, { bankAccountId }, () => (deliveries) => {
    const values = { "/bankAccountId": bankAccountId };
    return findEvents(deliveries, "bankaccount.state_changed", values).length > 0;
  });
  return { step, resource: await readBankAccount(session, bankAccountId) };
}

/** A verb that was called in a state in which it may change nothing. */
export interface ConnectionRepetition {
  readonly situation: Situation;
  readonly bankAccountId: string;
  /** All deliveries before the verb, and the events of the account since. */
  readonly earlier: readonly Delivery[];
  readonly events: readonly Delivery[];
  readonly resource: Exchange;
}

/** Repeats verbs, which the target may refuse. Starts and ends with an active account. */
export function connectionRepetitions(session: Session): Promise<Scenarios<ConnectionRepetition>> {
  return session.share("scenario: changes of a connection are repeated", async (own) => {
    const bankAccountId = await connected(own);
    await connectionChanges(own);
    const repeat = async (
      verb: ConnectionVerb,
      situation: Situation,
    ): Promise<ConnectionRepetition> => {
      const earlier = await own.deliveries();
      await unlessRefused(() => drive(own, verb, { bankAccountId }));
      const deliveries = await deliveriesAfterNext(own, earlier.length);
      const values = { "/bankAccountId": bankAccountId };
      const events = findEvents(deliveries, "bankaccount.state_changed", values);
      const resource = await readBankAccount(own, bankAccountId);
      return { situation, bankAccountId, earlier, events, resource };
    };
    return runScenarios(
      () => repeat("recover", "recover-twice"),
      async () => {
        await changeOf(own, "expireConsent", bankAccountId);
        return repeat("expireConsent", "expire-twice");
      },
      async () => {
        await changeOf(own, "disconnect", bankAccountId);
        return repeat("disconnect", "disconnect-twice");
      },
      async () => {
        const repetition = await repeat("expireConsent", "expire-disconnected");
        await changeOf(own, "recover", bankAccountId);
        return repetition;
      },
    );
  });
}
