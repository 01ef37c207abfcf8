/**
 * Changes of the contract, each labelled with a verdict for each audience. The labels follow
 * from the definitions of the verdicts, not from the output of a tool.
 */
import { operationChanges } from "./api/operations.ts";
import { requestChanges } from "./api/requests.ts";
import { responseChanges } from "./api/responses.ts";
import { documentChanges } from "./document.ts";
import { bankDataChanges } from "./events/bank-data.ts";
import { deliveryChanges } from "./events/deliveries.ts";
import { enrollmentChanges } from "./events/enrollments.ts";
import { equalEventForms } from "./events/equal-forms.ts";
import { matchChanges } from "./events/matches.ts";
import { transactionChanges } from "./events/transactions.ts";
import type { LabelledChange } from "./labelled-change.ts";
import { sharedChanges } from "./shared.ts";

export { readDocument, type Schema } from "../../document.ts";
export type { Doc, LabelledChange, Verdict } from "./labelled-change.ts";

/** Every labelled change. */
export const corpus: readonly LabelledChange[] = [
  ...transactionChanges,
  ...enrollmentChanges,
  ...bankDataChanges,
  ...matchChanges,
  ...deliveryChanges,
  ...equalEventForms,
  ...requestChanges,
  ...responseChanges,
  ...operationChanges,
  ...sharedChanges,
  ...documentChanges,
];
