import type { Session } from "../check.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  drive,
  driveAndWait,
  readBankAccount,
  runScenarios,
  type Scenarios,
  unlessRefused,
  type VerbOutcome,
} from "./act.ts";
import { findEvents } from "./find-deliveries.ts";
import { isCompleted, mintedCards } from "./links.ts";
import { type Unlisted, unlisted } from "./listed.ts";

type ConnectionVerb = "expireConsent" | "disconnect" | "recover";

/** A change of a bank account's connection. */
export interface ConnectionChange extends VerbOutcome<unknown> {
  readonly bankAccountId: string;
  readonly verb: ConnectionVerb;
  readonly previousState: string;
  readonly state: string;
  /** The API's response for the account after the change. */
  readonly resource: Exchange;
  /** Whether GET /bank-accounts lists the account after the change, if it was requested. */
  readonly listed?: Unlisted | undefined;
}

const STATES = {
  expireConsent: "auth_required",
  disconnect: "disconnected",
  recover: "active",
} as const;

/** Links three accounts, separately from the other scenarios. */
export function connected(
  session: Session,
): Promise<{ bankAccountId: string; otherId?: string; thirdId?: string }> {
  return session.share("scenario: three bank accounts are connected", async (own) => {
    const one = { type: "depository" } as const;
    const accounts = [one, one, one];
    const { bankLinkId } = await drive(own, "startLink", { accounts });
    const completion = { bankLinkId, by: "notification" } as const;
    const { result } = await driveAndWait(own, "completeLink", completion, () =>
      isCompleted(bankLinkId),
    );
    const [bankAccountId, otherId, thirdId] = result.bankAccountIds;
    if (bankAccountId === undefined) {
      throw new Skip("the driver's verb completeLink returned no bankAccountIds");
    }
    return { bankAccountId, ...(otherId && { otherId }), ...(thirdId && { thirdId }) };
  });
}

/** The changes of two accounts, counted from the end of their link, so that the states mix. */
const IN_TURN: readonly (readonly [at: -1 | -2, verb: ConnectionVerb])[] = [
  ...([
    [-1, "expireConsent"],
    [-2, "disconnect"],
    [-1, "disconnect"],
  ] as const),
  ...([
    [-2, "recover"],
    [-1, "recover"],
  ] as const),
];

/** Changes, in turn, the connections of the last two accounts of a link. Both have cards. */
export function changesWithCards(session: Session): Promise<Scenarios<ConnectionChange>> {
  return session.share("scenario: connections of one link change in turn", async (own) => {
    const cards = await mintedCards(own);
    if (cards.length === 0) throw new Skip("the completion of a bank link created no card");
    const turns = IN_TURN.flatMap(([at, verb]) => {
      const bankAccountId = cards.at(at)?.bankAccountId;
      return bankAccountId === undefined ? [] : [{ bankAccountId, verb }];
    });
    return changesOf(own, turns, true);
  });
}

/** Calls verbs, each of which changes the state of an account that is active at first. */
function changesOf(
  session: Session,
  turns: readonly Pick<ConnectionChange, "bankAccountId" | "verb">[],
  withList = false,
): Promise<Scenarios<ConnectionChange>> {
  const states = new Map<string, string>();
  const change = async ({ bankAccountId, verb }: (typeof turns)[number]) => {
    const { step, resource } = await changeOf(session, verb, bankAccountId);
    const previousState = states.get(bankAccountId) ?? "active";
    const state = STATES[verb];
    states.set(bankAccountId, state);
    const listed = withList
      ? await unlisted(session, "GET /bank-accounts", [bankAccountId])
      : undefined;
    return { ...step, bankAccountId, verb, previousState, state, resource, listed };
  };
  // A wrong change may prevent the next ones. Keep the results of the earlier ones.
  return runScenarios(...turns.map((turn) => () => change(turn)));
}

async function changeOf(session: Session, verb: ConnectionVerb, bankAccountId: string) {
  const step = await driveAndWait(session, verb, { bankAccountId }, () => (deliveries) => {
    const values = { "/bankAccountId": bankAccountId };
    return findEvents(deliveries, "bankaccount.state_changed", values).length > 0;
  });
  return { step, resource: await readBankAccount(session, bankAccountId) };
}

/** Acts while the connection of an account without a card is lost, and recovers it. */
export async function whileLost<Prepared, Result>(
  session: Session,
  prepare: (bankAccountId: string) => Promise<Prepared>,
  act: (prepared: Prepared) => Promise<Result>,
): Promise<Result> {
  const { otherId } = await connected(session);
  if (otherId === undefined) throw new Skip("the link has no second account");
  const prepared = await prepare(otherId);
  return whileNotActive(session, "disconnect", otherId, () => act(prepared));
}

/**
 * Acts while the connection of an account is not active, and recovers it.
 *
 * @param act Gets whether the change of the connection was announced.
 */
export async function whileNotActive<Result>(
  session: Session,
  verb: "disconnect" | "expireConsent",
  bankAccountId: string,
  act: (isAnnounced: boolean) => Promise<Result>,
): Promise<Result> {
  const { deliveries } = (await changeOf(session, verb, bankAccountId)).step;
  const values = { "/bankAccountId": bankAccountId, "/state": STATES[verb] };
  try {
    return await act(findEvents(deliveries, "bankaccount.state_changed", values).length > 0);
  } finally {
    await unlessRefused(() => changeOf(session, "recover", bankAccountId));
  }
}
