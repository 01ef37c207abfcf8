import type { components } from "../../../generated/types.ts";
import type { Rules } from "./rule.ts";

type Schemas = components["schemas"];
type Scored = Pick<Schemas["TransactionMatch"], "confidence" | "score">;

/** The lowest score of each confidence. */
const LOWEST = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 } as const;

/** For a match, in its event or an answer. */
export const matchRules: Rules<Scored> = {
  "MAT-02": ({ confidence, score }, judge) => {
    if (score === undefined) return;
    if (score < LOWEST.LOW) judge.breach("/score", "at least 0.20", score);
    else if (confidence !== undefined) {
      const earned = score >= LOWEST.HIGH ? "HIGH" : score >= LOWEST.MEDIUM ? "MEDIUM" : "LOW";
      if (confidence !== earned) judge.breach("/confidence", `${earned} for ${score}`, confidence);
    }
  },
};

/** For the retraction of a match. */
export const matchDeletedRules: Rules<Schemas["TransactionMatchDeletedEvent"]> = {
  "MAT-06": ({ bankTransactionId, metadata }, judge) => {
    const resourceId = metadata?.resourceId;
    const expected = `${bankTransactionId}, the bankTransactionId`;
    if (resourceId === undefined) judge.notice("/metadata/resourceId", expected, undefined);
    else if (resourceId !== bankTransactionId) {
      judge.breach("/metadata/resourceId", expected, resourceId);
    }
  },
};
