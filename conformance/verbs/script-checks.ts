import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { ClaimAssertions } from "../assert.ts";
import { byRequirement, type Check, type Session, Skip } from "../check.ts";
import { distinctEvents, textAt } from "../observe/deliveries/find.ts";
import { ordinalAt, situationsOf } from "../observe/situations.ts";
import { type Capability, missingCapability } from "../target.ts";
import { isDelivery } from "../wire/exchange.ts";
import type { Violation } from "./judge.ts";
import { UNOWED } from "./owed.ts";
import { type PlayedStep, playStep } from "./player.ts";
import { namesIn, type Step } from "./step.ts";
import { World } from "./world.ts";

/** A script that a conformance run plays: data, which the table of verbs judges. */
export interface ConformanceScript {
  /** The fact that its checks verify, in the present tense and under 70 characters. */
  readonly title: string;
  /** The claims that it decides. */
  readonly decides: readonly ClaimId[];
  /** What it requires besides the verbs of its steps. */
  readonly requires?: readonly Capability[];
  /**
   * The script that it continues, which creates what several scripts need and is played once for
   * all of them. None may change what another one uses.
   */
  readonly after?: ConformanceScript;
  /** Steps that create what it needs for itself. Other scripts judge them. */
  readonly opening?: readonly Step[];
  readonly steps: readonly Step[];
}

/** What a script requires. */
export function requiredBy(script: ConformanceScript): readonly Capability[] {
  const { after, opening = [], steps, requires = [] } = script;
  const earlier = after ? requiredBy(after) : [];
  const verbs = [...opening, ...steps].map(({ verb }) => `verb:${verb}` as const);
  return [...new Set<Capability>([...earlier, ...verbs, ...requires, "deliveries"])];
}

/** The checks of a script: one for each requirement that it decides. */
export function scriptChecks(script: ConformanceScript): Check[] {
  const { title, decides } = script;
  return byRequirement(decides).map((own) => ({
    claims: own,
    title,
    requires: requiredBy(script),
    run: async (session) => resultFor(own, await playedScript(session, script)),
  }));
}

/** The claims that an event breaks which comes again. */
const ONCE: readonly ClaimId[] = [
  ...Object.values(UNOWED),
  ...(["SUB-04.single-created", "SUB-04.bulk-created", "SUB-05.no-other-move"] as const),
  ...(["SUB-06.no-created", "SUB-07.updated", "SUB-10.only-signal", "NBF-04.accepted"] as const),
  ...(["NBF-04.rejected", "BLK-02.exactly-one", "BLK-05.created-sent"] as const),
  ...(["BLK-05.not-for-existing", "BAC-01.differ", "BAC-04.only-that-account"] as const),
  ...(["BAC-05.auth-required", "BTX-01.owed", "MAT-07.new-ids"] as const),
];

function isDeferred({ claim, isAboutDelivery }: Violation): boolean {
  return isAboutDelivery === true && ONCE.includes(claim);
}

/**
 * Checks at the end of a run whether an event came again, or only its delivery was repeated
 * (WHK-04): only all deliveries of the run show whether the sender repeats some.
 */
export function repetitionChecks(scripts: readonly ConformanceScript[]): Check[] {
  return byRequirement(ONCE).map((own) => ({
    claims: own,
    title: "no event comes again that comes once",
    requires: ["deliveries", "verb:enroll"],
    phase: "compare",
    run: async (session) => {
      const named = scripts.filter(({ decides }) => own.some((claim) => decides.includes(claim)));
      const played = await playedScripts(session, named);
      const all = await session.deliveries();
      const deferred = played
        .flatMap(({ verdicts }) => verdicts.flatMap(({ violations }) => violations))
        .filter((one) => isDeferred(one) && own.includes(one.claim));
      const breaches = deferred.flatMap(({ claim, level, breach }) => {
        const sent = breach.evidence.filter((one) => isDelivery(one));
        const same = sent.filter(({ name }) => name === sent[0]?.name);
        if (distinctEvents(same, [all]).length < 2) return [];
        return [{ ...breach, claim, ...(level === "warning" && { isWarning: true as const }) }];
      });
      if (played.length === 0) return new Skip("no script was played");
      return { assertions: Math.max(1, deferred.length), breaches, decided: new Map() };
    },
  }));
}

/** A script that was played to its end. */
export interface PlayedScript {
  readonly script: ConformanceScript;
  /** The script that it continued. */
  readonly before?: PlayedScript | undefined;
  readonly steps: readonly PlayedStep[];
  readonly world: World;
  readonly verdicts: readonly Verdict[];
  /** The target's first refusal of a step, if any. */
  readonly missing?: Skip;
}

interface Verdict {
  readonly claim: ClaimId;
  readonly situations: readonly Situation[];
  readonly violations: readonly Violation[];
}

/** Plays a script once in a run. A refused step does not prevent those that do not need it. */
export function playedScript(session: Session, script: ConformanceScript): Promise<PlayedScript> {
  return session.share(`script: ${script.title}`, async (own) => {
    const before = script.after && (await playedScript(own, script.after));
    const world = before?.world.continued() ?? new World(own.capabilities);
    world.heard = await own.deliveries();
    const steps: PlayedStep[] = [];
    for (const step of script.opening ?? []) {
      steps.push(await playStep(own, world, step, "nothing"));
    }
    const judging = script.decides.length > 0 ? "effects" : "nothing";
    for (const step of script.steps) steps.push(await playStep(own, world, step, judging));
    if (before) world.end();
    const refused = before?.steps.find(({ outcome }) => outcome === "refused");
    const missing = refused?.refusal ?? steps.find(({ refusal }) => refusal)?.refusal;
    const verdicts = verdictsOf(steps, world);
    return { script, before, steps, world, verdicts, ...(missing && { missing }) };
  });
}

/** Plays those of some scripts for which the run has what they require. */
export async function playedScripts(
  session: Session,
  scripts: readonly ConformanceScript[],
): Promise<readonly PlayedScript[]> {
  const played: PlayedScript[] = [];
  for (const script of scripts) {
    if (missingCapability(requiredBy(script), session.capabilities)) continue;
    played.push(await playedScript(session, script));
  }
  return played;
}

function verdictsOf(outcomes: readonly PlayedStep[], world: World): Verdict[] {
  const counts = new Map<ClaimId, number>();
  return outcomes.flatMap(({ step, decisions, situations, violations }): Verdict[] => {
    const at = new Map<ClaimId, Situation[]>();
    const common = [...situations, ...networksOf(step, world)];
    for (const { claim } of decisions) {
      if (at.has(claim)) continue;
      const count = counts.get(claim) ?? 0;
      counts.set(claim, count + 1);
      at.set(claim, ordinalAt(count));
    }
    const own = decisions.map(({ claim, violations, in: more = [] }) => {
      return { claim, violations, situations: [...common, ...(at.get(claim) ?? []), ...more] };
    });
    // What other comparisons show breaks a claim, but does not decide it.
    const others = violations.filter((one) => {
      return !decisions.some((decision) => decision.violations.includes(one));
    });
    return [
      ...own,
      ...others.map((one) => ({ claim: one.claim, violations: [one], situations: [] })),
    ];
  });
}

/** The network of a step's card: only its purchases show it. */
function networksOf(step: Step, world: World): Situation[] {
  const { uses, gives } = namesIn(step);
  const names = [...uses, ...gives].flatMap((name) => world.model.purchases[name]?.card ?? name);
  const cards = new Set(names.map((name) => world.idsOf(name).cardId));
  const shown = [...world.latest.values()].filter(({ json }) => {
    return cards.has(textAt(json, "/cardId") ?? "") && textAt(json, "/network") !== undefined;
  });
  return shown
    .flatMap(({ json }) => situationsOf(json, world.networks))
    .filter((situation) => situation.startsWith("network-") && situation !== "network-bulk");
}

function resultFor(own: readonly ClaimId[], { before, verdicts, missing }: PlayedScript) {
  const assertions = new ClaimAssertions();
  for (const { claim, situations, violations } of verdicts) {
    if (!own.includes(claim)) continue;
    const certain = violations.filter((one) => !isDeferred(one));
    const breaches = certain.map(({ breach, level }) => {
      return level === "warning" ? { ...breach, isWarning: true as const } : breach;
    });
    assertions.of(claim, ...situations).all(breaches);
  }
  const all = [...(before?.verdicts ?? []), ...verdicts];
  const broken = [
    ...new Set(all.flatMap(({ claim, violations }) => (violations.length > 0 ? claim : []))),
  ];
  const reason =
    broken.length > 0 ? `an earlier step went wrong: see ${broken.join(", ")}` : NO_EFFECT;
  return assertions.result(reason, missing);
}

const NO_EFFECT = "the target has no such effect";
