import { expect, test } from "vitest";
import { OPENINGS, type PlayedScript, shrink } from "../../../conformance/explore/scripts.ts";
import type { Script, Step } from "../../../conformance/verbs/step.ts";

/** Plays scripts of which a step fails if `isWrong` accepts the steps up to it. */
function playing(isWrong: (steps: readonly Step[]) => boolean) {
  const tried: Script[] = [];
  const play = async (script: Script): Promise<PlayedScript> => {
    tried.push(script);
    const nothing = { decisions: [], violations: [], transitions: [], situations: [] } as const;
    const outcome = { outcome: "done", ...nothing, deliveries: [], changes: [] } as const;
    const at = script.steps.findIndex((_, index) => isWrong(script.steps.slice(0, index + 1)));
    const end = at < 0 ? script.steps.length : at + 1;
    const played = script.steps.slice(0, end).map((step) => ({ step, ...outcome }));
    if (at < 0) return { script, played };
    const breach = { expected: "a", actual: "b", evidence: [] as never };
    const claim = "BAC-03.chain";
    const violation = { requirement: "BAC-03", claim, level: "error", breach } as const;
    const failed = { step: script.steps[at] as Step, ...outcome, violations: [violation] };
    return { script, played: [...played.slice(0, -1), failed], failed };
  };
  return { play, tried };
}

const connection = (verb: "expireConsent" | "disconnect" | "recover", account = "account 1") => {
  return { verb, account } as const;
};
const [RECOVER, DISCONNECT, EXPIRE] = [
  ...[connection("recover"), connection("disconnect"), connection("expireConsent")],
] as const;
const opening = OPENINGS[1] ?? [];
const clearSca: Step = { verb: "clearSca", card: "card 1" };

/** Which last step fails, after which earlier one; the steps, and what is left of them. */
test.each<[string, [last: string, earlier?: string], Step[], Partial<Script>]>([
  [
    "keeps only the steps that a failure needs",
    ["disconnect", "expireConsent"],
    [
      { verb: "enroll", as: "card 2" },
      ...[{ verb: "submitFeed", as: "feed 1" } as const, EXPIRE],
      ...[{ verb: "acceptFeed", feed: "feed 1" } as const, RECOVER],
      ...[{ verb: "clearSca", card: "card 2" } as const, DISCONNECT, RECOVER],
    ],
    { steps: [EXPIRE, DISCONNECT] },
  ],
  [
    "removes a resource together with the steps that need it",
    ["recover", "clearSca"],
    [
      clearSca,
      { verb: "startLink", as: "link 2", accounts: [{ as: "account 4", type: "depository" }] },
      { verb: "completeLink", link: "link 2", by: "polling" },
      ...[connection("disconnect", "account 4"), connection("recover", "account 4")],
    ],
    { opening, steps: [clearSca, RECOVER] },
  ],
  [
    "drops an opening and parameters that the steps do not need",
    ["rejectFeed"],
    [
      { verb: "submitFeed", as: "feed 1", expectedCardCount: 1 },
      { verb: "rejectFeed", feed: "feed 1" },
    ],
    {
      opening: [],
      steps: [
        { verb: "submitFeed", as: "feed 1" },
        { verb: "rejectFeed", feed: "feed 1" },
      ],
    },
  ],
])("shrinking %s", async (_, [last, earlier], steps, expected) => {
  const { play, tried } = playing((played) => {
    const verbs = played.map(({ verb }) => verb as string);
    return verbs.at(-1) === last && (earlier === undefined || verbs.includes(earlier));
  });
  const { script } = await shrink(await play({ opening, steps }), "BAC-03", play);
  expect(script).toMatchObject(expected);
  for (const { steps: one } of tried) {
    const isUsed = one.some((step) => "account" in step && step.account === "account 4");
    expect(isUsed && !one.some(({ verb }) => verb === "startLink")).toBe(false);
  }
});

test("does not take another requirement's failure for the same one", async () => {
  const { play } = playing((steps) => steps.at(-1)?.verb === "disconnect");
  const steps = [RECOVER, DISCONNECT];
  const { script } = await shrink(await play({ opening: [], steps }), "SUB-05", play);
  expect(script.steps).toEqual(steps);
});

test("keeps earlier steps that another script has played, as in the exhaustive mode", async () => {
  const { play } = playing((steps) => {
    return steps.at(-1)?.verb === "recover" && steps.some(({ verb }) => verb === "disconnect");
  });
  const steps = [DISCONNECT, RECOVER];
  const { failed, ...whole } = await play({ opening, steps });
  const last = { ...whole, ...(failed && { failed }), played: whole.played.slice(-1) };
  expect((await shrink(last, "BAC-03", play)).script.steps).toEqual(steps);
});
