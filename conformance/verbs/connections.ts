import { textAt } from "../observe/deliveries/find.ts";
import type { AccountState } from "./model.ts";
import { about, asWarning, aText, has, values, where } from "./owed.ts";
import { removalsByApi } from "./removals.ts";
import { meaningFor, type Owed, type Row, type Rows, type Wanted } from "./row.ts";
import type { Name, StepOf } from "./step.ts";
import type { World } from "./world.ts";

type Connection = "expireConsent" | "disconnect" | "recover";

const CHANGED = "bankaccount.state_changed";

/** The state table of connections, and bankaccount.state_changed. */
export const connectionRows: Rows<Connection> = {
  // Only an active account's consent expires: that of a disconnected one changes nothing.
  expireConsent: {
    ...connection("expireConsent", "auth_required"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) => (state === "active" ? "applies" : "repeats")),
    owes: (world, { account }) => {
      const reason = aText("BAC-04.expiring", "/reason", "a reason, such as consent_expiring");
      const owed = moved(world, account, 1, "BAC-04.expiring", "auth_required");
      const wants = [reason, { ...reason, claim: "BAC-02.reason-expiring" } as const];
      return [{ ...owed, wants: [...(owed.wants ?? []), ...wants] }];
    },
  },

  disconnect: {
    ...connection("disconnect", "disconnected"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) =>
        state === "disconnected" ? "repeats" : "applies",
      ),
    owes: (world, { account }) => {
      const from = world.model.accounts[account]?.state;
      const claim = from === "active" ? "BAC-04.lost-active" : "BAC-04.lost-auth-required";
      return [moved(world, account, 2, claim, "disconnected")];
    },
  },

  recover: {
    ...connection("recover", "active"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) => (state === "active" ? "repeats" : "applies")),
    owes: (world, { account }) => {
      const from = world.model.accounts[account]?.state;
      const claim =
        from === "disconnected"
          ? "BAC-04.recovered-disconnected"
          : "BAC-04.recovered-auth-required";
      return [moved(world, account, 3, claim, "active")];
    },
    owesByApi: removalsByApi,
  },
};

const AFTER = {
  expireConsent: "expired",
  disconnect: "disconnected",
  recover: "recovered",
} as const;

const TWICE = {
  expireConsent: "expire-twice",
  disconnect: "disconnect-twice",
  recover: "recover-twice",
} as const;

type CommonPart = "params" | "apply" | "forbids" | "quiet" | "situations" | "variants";

/** What the verbs of a connection have in common. */
function connection<V extends Connection>(
  verb: V,
  state: AccountState["state"],
): Pick<Row<V>, CommonPart> {
  return {
    params: ({ account }: StepOf<Connection>, world) =>
      ({ bankAccountId: world.idsOf(account).bankAccountId }) as never,
    apply: (model, { account }: StepOf<Connection>) => {
      const after = { ...(model.accounts[account] as AccountState), state };
      return { ...model, accounts: { ...model.accounts, [account]: after } };
    },
    // Accounts of one link may share their consent.
    forbids: (world, { account }: StepOf<Connection>) =>
      accountsOfOtherLinks(world, account).map((bankAccountId) => ({
        claim: "BAC-04.only-that-account",
        ...about(CHANGED, "/bankAccountId", bankAccountId, ", which is of another link"),
      })),
    quiet: (world, { account }: StepOf<Connection>) => {
      const { bankAccountId } = world.idsOf(account);
      const isSame = world.model.accounts[account]?.state === state;
      return [
        {
          claim: isSame ? "BAC-01.not-without-change" : "BAC-05.auth-required",
          ...about(CHANGED, "/bankAccountId", bankAccountId, ", which stays as it is"),
        },
      ];
    },
    situations: ({ model }, { account }: StepOf<Connection>) => {
      const before = model.accounts[account]?.state;
      if (before === state) return [TWICE[verb]];
      return before === "disconnected" && verb === "expireConsent"
        ? ["expire-disconnected"]
        : [AFTER[verb]];
    },
    *variants({ accounts }) {
      for (const account of Object.keys(accounts)) yield { verb, account } as StepOf<V>;
    },
  };
}

/** A row of the table of connections. An event is sent only if the state changes. */
function moved(
  world: World,
  account: Name,
  row: number,
  claim: Owed["claims"][0],
  state: AccountState["state"],
): Owed {
  const { bankAccountId } = world.idsOf(account);
  const previousState = world.model.accounts[account]?.state ?? "active";
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
    ],
    once: "BAC-01.differ",
    row: { table: "bank account connection", row, case: previousState },
  };
}

/** BAC-05: from where a state is entered; `disconnected` from any. */
function entered(state: AccountState["state"]): Wanted[] {
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
function expiryEnds(world: World, bankAccountId: string, state: AccountState["state"]): Wanted[] {
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
