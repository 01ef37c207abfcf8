import type { Breach } from "../../check.ts";
import { type ArrivalOrder, isBefore } from "./order.ts";
import type { TypedDelivery } from "./reading.ts";

type StateChange = TypedDelivery<"bankaccount.state_changed">;

/**
 * BAC-03: whether the state changes of each account form a chain. They have no timestamp and no id,
 * so two with the same content are either duplicates or the same change made again.
 *
 * @param arrival How far arrival shows the order of sending. Unless it is `nothing`, the changes
 * are checked in that order. They are always checked for being possible in some order.
 */
export function checkStateChanges(turns: readonly StateChange[], arrival: ArrivalOrder): Breach[] {
  const ofAccount = Map.groupBy(turns, ({ body }) => body.bankAccountId);
  return [...ofAccount.values()].flatMap((all) => {
    const ofContent = Map.groupBy(all, contentOf);
    const later = arrival === "nothing" ? [] : outOfStep(all, arrival);
    if (later.length > 0) return later;
    if (hasPath([...ofContent.values()])) return [];
    const last = all.at(-1) as StateChange;
    return [
      breachOf(last, all.at(-2) as StateChange, "the state after another event of the account"),
    ];
  });
}

function contentOf({ body }: StateChange): string {
  const { previousState, state, reason, expiresAt } = body;
  return JSON.stringify([previousState, state, reason, expiresAt]);
}

/** The changes whose previous state differs from the state before. */
function outOfStep(turns: readonly StateChange[], arrival: ArrivalOrder): Breach[] {
  const pairs = turns.slice(1).map((turn, at) => [turns[at] as StateChange, turn] as const);
  // Ignore duplicates.
  const fresh = pairs.filter(([before, turn]) => contentOf(before) !== contentOf(turn));
  const ordered = fresh.filter(([before, turn]) => isBefore(before.delivery, turn.delivery));
  const broken = ordered.filter(([before, turn]) => before.body.state !== turn.body.previousState);
  if (arrival === "most" && broken.length * 2 <= ordered.length) return [];
  return broken.map(([before, turn]) => breachOf(turn, before, before.body.state));
}

function breachOf(turn: StateChange, before: StateChange, expected: string): Breach {
  return {
    path: "/previousState",
    expected,
    actual: turn.body.previousState,
    evidence: [turn.delivery, before.delivery],
  };
}

/** Maximum extra repeats tried per transition; more cannot help. */
const MAX_REPEATS = 4;

/**
 * Whether a path through the states takes each distinct change at least once, and no more often
 * than it was delivered.
 */
function hasPath(kinds: readonly (readonly StateChange[])[]): boolean {
  const moves = new Map<string, Transition>();
  for (const kind of kinds) {
    const { previousState: from, state: to } = (kind[0] as StateChange).body;
    const key = `${from} ${to}`;
    const move = moves.get(key) ?? { from, to, least: 0, most: 0 };
    const { least, most } = move;
    moves.set(key, { from, to, least: least + 1, most: most + kind.length });
  }
  return canBalance([...moves.values()], new Map());
}

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly least: number;
  readonly most: number;
}

/** Searches for transition counts with which every state is left as often as it is entered. */
function canBalance(
  [move, ...others]: readonly Transition[],
  balance: Map<string, number>,
): boolean {
  if (!move) {
    // The first and the last state are exempt. With three states, such transitions are connected.
    return [...balance.values()].reduce((sum, one) => sum + Math.abs(one), 0) <= 2;
  }
  const { from, to, least, most } = move;
  for (let times = least; times <= Math.min(most, least + MAX_REPEATS); times += 1) {
    const next = new Map(balance);
    next.set(from, (next.get(from) ?? 0) - times);
    next.set(to, (next.get(to) ?? 0) + times);
    if (canBalance(others, next)) return true;
  }
  return false;
}
