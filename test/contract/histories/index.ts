// Every case of this folder.
import { bankTransactionCases } from "./bank-transactions.ts";
import type { HistoryCase } from "./case.ts";
import { connectionCases } from "./connections.ts";
import { creationCases } from "./creations.ts";
import { enrollmentCases } from "./enrollments.ts";
import { matchCases } from "./matches.ts";
import { messageCases } from "./messages.ts";
import { projectionCases } from "./projections.ts";
import { rematchCases } from "./rematches.ts";
import { settlementCases } from "./settlements.ts";
import { standaloneCases } from "./standalones.ts";
import { statusCases } from "./statuses.ts";
import { subscriptionCases } from "./subscriptions.ts";
import { transactionCases } from "./transactions.ts";
import { unsureSettlementCases } from "./unsure-settlements.ts";

export const cases: readonly HistoryCase[] = [
  ...transactionCases,
  ...statusCases,
  ...settlementCases,
  ...unsureSettlementCases,
  ...standaloneCases,
  ...messageCases,
  ...projectionCases,
  ...subscriptionCases,
  ...enrollmentCases,
  ...connectionCases,
  ...bankTransactionCases,
  ...matchCases,
  ...rematchCases,
  ...creationCases,
];
