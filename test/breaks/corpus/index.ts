/**
 * Changes of the contract, each labelled from its meaning with what it breaks and for whom. The
 * labels come from the definitions of issue 14, never from what a tool says.
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
