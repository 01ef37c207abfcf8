import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import { drive, driveAndWait, runScenarios, type Scenarios, type VerbOutcome } from "./act.ts";
import { findEvents } from "./find-deliveries.ts";
import { readBankAccount } from "./read.ts";

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

/** Each changes the state. The last one makes the account active again. */
const VERBS: readonly ConnectionVerb[] = [
  ...(["expireConsent", "disconnect", "recover"] as const),
  ...(["disconnect", "recover", "expireConsent", "recover"] as const),
];

/** Changes the connection of an active bank account several times. */
export function connectionChanges(session: Session): Promise<Scenarios<ConnectionChange>> {
  return session.share("scenario: a connection changes", async (own) => {
    const bankAccountId = await connected(own);
    let previousState = "active";
    const change = async (verb: ConnectionVerb): Promise<ConnectionChange> => {
      const step = await driveAndWait(own, verb, { bankAccountId }, () => (deliveries) => {
        const values = { "/bankAccountId": bankAccountId };
        return findEvents(deliveries, "bankaccount.state_changed", values).length > 0;
      });
      const resource = await readBankAccount(own, bankAccountId);
      const before = previousState;
      previousState = STATES[verb];
      const states = { previousState: before, state: previousState };
      return { ...step, bankAccountId, verb, ...states, resource };
    };
    // A wrong change may prevent the next ones. Keep the results of the earlier ones.
    return runScenarios(...VERBS.map((verb) => () => change(verb)));
  });
}
