import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Schemas = components["schemas"];
type Confidence = Schemas["Confidence"];

/** A score and a confidence that do not agree (MAT-02). */
interface Mismatch {
  readonly path: "/score" | "/confidence";
  readonly expected: string;
  readonly value: unknown;
}

function confidenceMismatch(confidence: unknown, score: number): Mismatch | undefined {
  if (score < LOWEST.LOW) return { path: "/score", expected: "at least 0.20", value: score };
  const earned: Confidence =
    score >= LOWEST.HIGH ? "HIGH" : score >= LOWEST.MEDIUM ? "MEDIUM" : "LOW";
  // A match over REST may have any other value: EP-12 reports it.
  const isKnown = typeof confidence === "string" && Object.hasOwn(LOWEST, confidence);
  if (!isKnown || confidence === earned) return undefined;
  return { path: "/confidence", expected: `${earned} for ${score}`, value: confidence };
}

/** The lowest score of each confidence. */
const LOWEST = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 } as const;

/** The rules of a match's event. */
export const matchRules: Rules<Schemas["TransactionMatchEvent"]> = {
  "MAT-02": ({ confidence, score }, collector) => {
    const wrong = confidenceMismatch(confidence, score);
    if (wrong) collector.violation(wrong.path, wrong.expected, wrong.value);
  },
};

/** The rules of a match in a response, where even the types of fields other than id are open. */
export const listedMatchRules: Rules<Schemas["TransactionMatch"]> = {
  "MAT-02": ({ confidence, score }, collector) => {
    const wrong = typeof score === "number" ? confidenceMismatch(confidence, score) : undefined;
    if (wrong) collector.notice(wrong.path, wrong.expected, wrong.value);
  },
};

/** The rules of a match's retraction. */
export const matchDeletedRules: Rules<Schemas["TransactionMatchDeletedEvent"]> = {
  "MAT-06": ({ bankTransactionId, metadata: { resourceId } }, collector) => {
    if (resourceId === bankTransactionId) return;
    collector.violation(
      "/metadata/resourceId",
      `${bankTransactionId}, the bankTransactionId`,
      resourceId,
    );
  },
};
