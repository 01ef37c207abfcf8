import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { type AccountState, changeOne } from "./model.ts";
import { about, asWarning, aText, has, values, where } from "./owed.ts";
import { removalsByApi } from "./postings.ts";
import { type Owed, onOne, type Row, type Rows, type Wanted } from "./row.ts";
import type { Name } from "./step.ts";
import type { World } from "./world.ts";

type Connection = "expireConsent" | "disconnect" | "recover";
type State = AccountState["state"];

const CHANGED = "bankaccount.state_changed";

/** The state table of connections, and bankaccount.state_changed. */
export const connectionRows: Rows<Connection> = {
  // Only an active account's consent expires: that of a disconnected one changes nothing.
  expireConsent: connection("expireConsent", {
    ...{ row: 1, state: "auth_required", from: { active: "BAC-04.expiring" } },
    ...{ situation: "expired", twice: "expire-twice" },
    wants: (["BAC-04.expiring", "BAC-02.reason-expiring"] as const).map((claim) =>
      aText(claim, "/reason", "a reason, such as consent_expiring"),
    ),
  }),

  disconnect: connection("disconnect", {
    ...{ row: 2, state: "disconnected", situation: "disconnected", twice: "disconnect-twice" },
    from: { active: "BAC-04.lost-active", auth_required: "BAC-04.lost-auth-required" },
  }),

  recover: {
    ...connection("recover", {
      ...{ row: 3, state: "active", situation: "recovered", twice: "recover-twice" },
      from: {
        auth_required: "BAC-04.recovered-auth-required",
        disconnected: "BAC-04.recovered-disconnected",
      },
    }),
    owesByApi: removalsByApi,
  },
};

/** A row of the table of connections. */
interface Move {
  readonly row: number;
  /** The states in which it applies, and the claim that it then decides. */
  readonly from: { readonly [One in State]?: ClaimId };
  /** The state after it. */
  readonly state: State;
  readonly situation: Situation;
  readonly twice: Situation;
  /** What its event must have besides. */
  readonly wants?: readonly Wanted[];
}

function connection(verb: Connection, move: Move): Row<Connection> {
  const { from, state, situation, twice } = move;
  return {
    ...onOne(verb, "account", (account) => (from[account.state] ? "applies" : "repeats")),
    apply: (model, { account }) => changeOne(model, "accounts", account, { state }),
    owes: (world, { account }) => [moved(world, account, move)],
    // Accounts of one link may share their consent.
    forbids: (world, { account }) =>
      accountsOfOtherLinks(world, account).map((bankAccountId) => ({
        claim: "BAC-04.only-that-account",
        ...about(CHANGED, "/bankAccountId", bankAccountId, ", which is of another link"),
      })),
    quiet: (world, { account }) => {
      const { bankAccountId } = world.idsOf(account);
      const isSame = world.model.accounts[account]?.state === state;
      return [
        {
          claim: isSame ? "BAC-01.not-without-change" : "BAC-05.auth-required",
          ...about(CHANGED, "/bankAccountId", bankAccountId, ", which stays as it is"),
        },
      ];
    },
    situations: ({ model }, { account }) => {
      const before = model.accounts[account]?.state;
      if (before === state) return [twice];
      return [before === undefined || from[before] ? situation : "expire-disconnected"];
    },
  };
}

/** The event of a row. It is sent only if the state changes. */
function moved(world: World, account: Name, { row, from, state, wants = [] }: Move): Owed {
  const { bankAccountId } = world.idsOf(account);
  const previousState = world.model.accounts[account]?.state ?? "active";
  const claim = from[previousState] ?? "BAC-01.differ";
  const chain = world.latest.has(bankAccountId) ? "BAC-03.chain" : "BAC-03.first-active";
  return {
    claims: [claim],
    ...about(CHANGED, "/bankAccountId", bankAccountId, ` to ${state}`),
    wants: [
      values(chain, { "/previousState": previousState }),
      values(claim, { "/state": state, "/previousState": previousState }),
      where("BAC-01.differ", "/state", "another state than before", (body) => {
        return textAt(body, "/state") !== textAt(body, "/previousState");
      }),
      ...entered(state),
      ...expiryEnds(world, bankAccountId, state),
      ...wants,
    ],
    once: "BAC-01.differ",
    row: { table: "bank account connection", row, case: previousState },
  };
}

/** BAC-05: from where a state is entered; `disconnected` from any. */
function entered(state: State): Wanted[] {
  if (state === "disconnected") return [];
  const isExpiry = state === "auth_required";
  const claim = isExpiry ? "BAC-05.auth-required" : "BAC-05.active";
  const expected = isExpiry ? "active" : "a state that is not active";
  return [
    where(claim, "/previousState", expected, (body) => {
      return (textAt(body, "/previousState") === "active") === isExpiry;
    }),
  ];
}

/** The interface does not say when an expiry still applies: a repeated one is a warning. */
function expiryEnds(world: World, bankAccountId: string, state: State): Wanted[] {
  const isOwn = has("/bankAccountId", bankAccountId);
  const expiries = new Set(
    world.deliveries.flatMap(({ json }) => (isOwn(json) ? (textAt(json, "/expiresAt") ?? []) : [])),
  );
  if (state === "auth_required" || expiries.size === 0) return [];
  const isNew = (body: unknown) => !expiries.has(textAt(body, "/expiresAt") ?? "");
  return [asWarning(where("BAC-02.expires-at", "/expiresAt", "null, or another time", isNew))];
}

function accountsOfOtherLinks({ model, ids }: World, account: Name): string[] {
  const others = Object.values(model.links).filter(({ accounts }) => {
    return accounts.every(({ as }) => as !== account);
  });
  return others.flatMap(({ accounts }) =>
    accounts.flatMap(({ as }) => ids.get(as)?.bankAccountId ?? []),
  );
}
