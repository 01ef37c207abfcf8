import { createHash } from "node:crypto";
import { type Classified, classOf } from "./classified.ts";
import type { Mutant } from "./instrument.ts";
import type { Options } from "./options.ts";

/** The mutants that the options select: first by `only`, then a sample, then a shard. */
export function selectMutants(
  all: readonly Mutant[],
  { only, sample, seed, shard }: Pick<Options, "only" | "sample" | "seed" | "shard">,
  classified: Classified,
): readonly Mutant[] {
  const isSelected = ({ key }: Mutant) =>
    !only || only.some((one) => key.startsWith(one) || classOf(classified, key) === one);
  const selected = all.filter(isSelected);
  const rank = ({ key }: Mutant) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  const drawn =
    sample === undefined
      ? selected
      : selected
          .map((mutant) => ({ mutant, rank: rank(mutant) }))
          .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
          .slice(0, sample)
          .map(({ mutant }) => mutant);
  return drawn.filter((_, at) => !shard || at % shard.of === shard.nr - 1);
}
