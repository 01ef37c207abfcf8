import { corpus } from "./corpus/index.ts";
import { describeVerdicts } from "./verdicts.ts";

describeVerdicts(
  "changes of events",
  corpus.filter(({ where }) => where === "event"),
);
