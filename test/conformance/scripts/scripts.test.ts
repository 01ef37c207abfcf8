import { expect, test } from "vitest";
import { scripts } from "../../../conformance/scripts/index.ts";
import { emptyModel } from "../../../conformance/verbs/model.ts";
import type { ConformanceScript } from "../../../conformance/verbs/script-checks.ts";
import { namesIn, type Step, sourceOf } from "../../../conformance/verbs/step.ts";
import { applied, meaningOf } from "../../../conformance/verbs/table.ts";
import { World } from "../../../conformance/verbs/world.ts";
import { capabilitiesWith, captured } from "../observe/deliveries/captured.ts";

test.each(scripts.map((script) => [script.title, script] as const))(
  "%s: each step means something, of resources that the script created",
  (title, { after, opening = [], steps }) => {
    expect(title.length).toBeLessThan(70);
    let model = emptyModel();
    const known = new Set<string>();
    for (const step of [...(after?.steps ?? []), ...opening, ...steps]) {
      const { uses, gives } = namesIn(step);
      for (const name of uses) expect(known).toContain(sourceOf(name));
      for (const name of gives) known.add(name);
      const meaning = meaningOf(model, step);
      expect(meaning, JSON.stringify(step)).toBeDefined();
      if (meaning === "applies") model = applied(model, step);
    }
  },
);

test("scripts have titles of their own, by which a run shares what they did", () => {
  expect(new Set(scripts.map(({ title }) => title)).size).toBe(scripts.length);
});

/** Verbs that change a card or an account, rather than use it. */
const CHANGING: readonly Step["verb"][] = [
  ...(["clearSca", "deactivate", "upgrade", "completeLink"] as const),
  ...(["expireConsent", "disconnect", "recover"] as const),
];

/** The resources that a script changes. */
function changedBy({ steps }: ConformanceScript): string[] {
  return steps.flatMap((step) => {
    if (step.verb === "linkCard") return step.card;
    return CHANGING.includes(step.verb) ? namesIn(step).uses : [];
  });
}

/** The resources that a script uses, and its prices at cards and accounts: what could be matched. */
function usedBy({ steps }: ConformanceScript): string[] {
  return steps.flatMap((step) => {
    const { card, account, amount, merchant } = step as Partial<Record<string, unknown>>;
    const price = amount === undefined ? [] : [`${card ?? account}: ${amount} at ${merchant}`];
    return [...namesIn(step).uses, ...price];
  });
}

test("scripts that continue one script do not disturb each other", () => {
  const groups = Map.groupBy(
    scripts.filter(({ after }) => after),
    ({ after }) => after,
  );
  expect(groups.size).toBeGreaterThan(0);
  for (const [after, group] of groups) {
    const common = new Set(after?.steps.flatMap((step) => namesIn(step).gives));
    const isCommon = (what: string) => common.has(sourceOf(what)) || what.includes(": ");
    for (const script of group) {
      const own = [...changedBy(script), ...usedBy(script).filter((what) => what.includes(": "))];
      const others = group.filter((other) => other !== script).flatMap(usedBy);
      expect(own.filter(isCommon).filter((what) => others.includes(what))).toEqual([]);
    }
  }
});

const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
const [card, first, second] = [idOf(1), idOf(2), idOf(3)];

function delivered(name: string, body: object) {
  const [delivery] = captured([{ headers: { "webhook-event-type": name }, body }]);
  return delivery as NonNullable<typeof delivery>;
}

test("the cards that a completion lists belong to the script of the link", () => {
  const world = new World(capabilitiesWith());
  world.bind("link 1", { bankLinkId: first });
  const bankAccounts = [{ id: second, cards: [{ id: card, subscriptionId: first }] }];
  const created = delivered("cardsubscription.created", { cardId: card });
  expect(world.isAbout(created)).toBe(false);
  world.take([delivered("banklink.completed", { bankLinkId: first, bankAccounts })]);
  expect(world.isAbout(created)).toBe(true);
});

test("a script that continues another one ignores what its siblings caused", () => {
  const about = (...ids: string[]) => delivered("transaction.updated", { ids });
  const base = new World(capabilitiesWith());
  base.bind("card 1", { cardId: card });
  const one = base.continued();
  one.bind("purchase 1", { transactionId: first });
  one.end();
  const other = base.continued();
  other.bind("purchase 1", { transactionId: second });
  expect(other.isAbout(about(card, first))).toBe(false);
  expect(other.isAbout(about(card))).toBe(true);
  expect(other.isAbout(about(card, second))).toBe(true);
  expect(other.isAbout(about(first, second))).toBe(true);
});
