import { expect, test } from "vitest";
import { OPENINGS } from "../../../conformance/explore/scripts.ts";
import { shrink } from "../../../conformance/explore/shrink.ts";
import type { PlayedScript } from "../../../conformance/explore/stage.ts";
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

const verbsOf = ({ steps }: Script) => steps.map(({ verb }) => verb);
const connection = (verb: "expireConsent" | "disconnect" | "recover", account = "account 1") => {
  return { verb, account } as const;
};

test("keeps only the steps that a failure needs", async () => {
  const { play } = playing((steps) => {
    const verbs = steps.map(({ verb }) => verb);
    return verbs.at(-1) === "disconnect" && verbs.includes("expireConsent");
  });
  const steps: Step[] = [
    { verb: "enroll", as: "card 2" },
    { verb: "submitFeed", as: "feed 1" },
    connection("expireConsent"),
    { verb: "acceptFeed", feed: "feed 1" },
    connection("recover"),
    { verb: "clearSca", card: "card 2" },
    connection("disconnect"),
    connection("recover"),
  ];
  const failing = await play({ opening: OPENINGS[1] ?? [], steps });
  const { script } = await shrink(failing, "BAC-03", play);
  expect(verbsOf(script)).toEqual(["expireConsent", "disconnect"]);
});

test("removes a resource together with the steps that need it", async () => {
  const { play, tried } = playing((steps) => {
    return steps.at(-1)?.verb === "recover" && steps[0]?.verb === "clearSca";
  });
  const clearSca: Step = { verb: "clearSca", card: "card 1" };
  const steps: Step[] = [
    clearSca,
    { verb: "startLink", as: "link 2", accounts: [{ as: "account 4", type: "depository" }] },
    { verb: "completeLink", link: "link 2", by: "polling" },
    connection("disconnect", "account 4"),
    connection("recover", "account 4"),
  ];
  const opening = OPENINGS[1] ?? [];
  const { script } = await shrink(await play({ opening, steps }), "BAC-03", play);
  expect(script).toEqual({ opening, steps: [clearSca, connection("recover", "account 1")] });
  for (const { steps: one } of tried) {
    const isKnown = one.some(({ verb }) => verb === "startLink");
    const isUsed = one.some((step) => "account" in step && step.account === "account 4");
    expect(isUsed && !isKnown).toBe(false);
  }
});

test("drops an opening that the steps do not need", async () => {
  const { play } = playing((steps) => steps.at(-1)?.verb === "rejectFeed");
  const steps: Step[] = [
    { verb: "submitFeed", as: "feed 1", expectedCardCount: 1 },
    { verb: "rejectFeed", feed: "feed 1" },
  ];
  const { script } = await shrink(
    await play({ opening: OPENINGS[1] ?? [], steps }),
    "BAC-03",
    play,
  );
  expect(script.opening).toEqual([]);
  expect(script.steps).toEqual([
    { verb: "submitFeed", as: "feed 1" },
    { verb: "rejectFeed", feed: "feed 1" },
  ]);
});

test("does not take another requirement's failure for the same one", async () => {
  const { play } = playing((steps) => steps.at(-1)?.verb === "disconnect");
  const failing = await play({
    opening: [],
    steps: [connection("recover"), connection("disconnect")],
  });
  const { script } = await shrink(failing, "SUB-05", play);
  expect(verbsOf(script)).toEqual(["recover", "disconnect"]);
});

test("keeps earlier steps that another script has played, as in the exhaustive mode", async () => {
  const { play } = playing((steps) => {
    return steps.at(-1)?.verb === "recover" && steps.some(({ verb }) => verb === "disconnect");
  });
  const steps = [connection("disconnect"), connection("recover")];
  const { failed, ...whole } = await play({ opening: OPENINGS[1] ?? [], steps });
  const last = { ...whole, ...(failed && { failed }), played: whole.played.slice(-1) };
  const { script } = await shrink(last, "BAC-03", play);
  expect(verbsOf(script)).toEqual(["disconnect", "recover"]);
});
