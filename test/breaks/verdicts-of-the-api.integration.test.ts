import { corpus } from "./corpus/index.ts";
import { describeVerdicts } from "./verdicts.ts";

describeVerdicts(
  "changes of the API, of shared schemas and of the document",
  corpus.filter(({ where }) => where !== "event"),
);
