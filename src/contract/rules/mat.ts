import type { components } from "../../../generated/types.ts";
import type { FindingCollector, Rules } from "./rule.ts";

type Schemas = components["schemas"];
type Confidence = Schemas["Confidence"];

/** The fields of a match. In a response, even their types are open. */
interface Scored {
  readonly confidence?: unknown;
  readonly score?: unknown;
}

/** The lowest score of each confidence. */
const LOWEST = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 } as const;

/** The rules of a match's score. A notice decides nothing. */
function scoreRules(level: "violation" | "notice"): Rules<Scored> {
  const scoresOf =
    (wanted: Confidence) =>
    ({ confidence, score }: Scored, collector: FindingCollector): boolean => {
      if (confidence !== wanted || typeof score !== "number" || score < LOWEST.LOW) return false;
      const earned = confidenceOf(score);
      if (earned !== wanted) collector[level]("/confidence", `${earned} for ${score}`, confidence);
      return level === "violation";
    };
  return {
    "MAT-02.high": scoresOf("HIGH"),
    "MAT-02.medium": scoresOf("MEDIUM"),
    "MAT-02.low": scoresOf("LOW"),
    "MAT-02.none-below": ({ score }, collector) => {
      if (typeof score !== "number") return false;
      if (score < LOWEST.LOW) collector[level]("/score", "at least 0.20", score);
      return level === "violation";
    },
  };
}

function confidenceOf(score: number): Confidence {
  return score >= LOWEST.HIGH ? "HIGH" : score >= LOWEST.MEDIUM ? "MEDIUM" : "LOW";
}

/** The rules of a match's event. */
export const matchRules: Rules<Schemas["TransactionMatchEvent"]> = scoreRules("violation");

/** The rules of a match in a response. */
export const listedMatchRules: Rules<Schemas["TransactionMatch"]> = scoreRules("notice");

/** The rules of a match's retraction. */
export const matchDeletedRules: Rules<Schemas["TransactionMatchDeletedEvent"]> = {
  "MAT-06.resource-id": ({ bankTransactionId, metadata: { resourceId } }, collector) => {
    if (resourceId !== bankTransactionId) {
      const expected = `${bankTransactionId}, the bankTransactionId`;
      collector.violation("/metadata/resourceId", expected, resourceId);
    }
    return true;
  },
};
