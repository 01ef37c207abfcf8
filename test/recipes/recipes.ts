import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Breakage } from "../../src/breaks/change.ts";
import { addEndpoint, addEndpointExample, addEvent, addEventExample } from "./additions.ts";
import type { Checkout } from "./checkout.ts";

/** A kind of contract change that CONTRIBUTING describes. */
export interface Recipe {
  readonly name: string;
  /** Edits `spec/` as the owner of the interface would. */
  readonly apply: (checkout: Checkout) => Promise<void>;
  /** The error of `generate` after the first edits, if any. */
  readonly refused?: RegExp;
  /** The remaining edits after that error. */
  readonly mend?: (checkout: Checkout) => Promise<void>;
  /** The files that `generate` changes, except validators. */
  readonly generated: readonly string[];
  /** The files of `src/` and `conformance/` in which `tsc` then reports errors. */
  readonly byHand: readonly string[];
  /** The lines of `check:coverage`, without the remedies. */
  readonly gaps?: readonly string[];
  /** The result of `breaks` for each audience, and the overall verdict. */
  readonly breaks: Breakage["audiences"];
  readonly verdict: Breakage["verdict"];
}

const TRANSACTION = "spec/resources/transaction.tsp";
const HOLD = "  cardholderBillingHoldAmount: Amount;\n";
const BODY = "src/world/activity/transaction.ts";
const HOLD_IN_BODY = "cardholderBillingHoldAmount: amountOf(";

/** The files that every change of a shape changes. */
const CONTRACT = ["openapi.yaml", "openapi.json"];

/** A compatible change for all audiences. */
const COMPATIBLE: Recipe["breaks"] = {
  consumer: "compatible",
  caller: "compatible",
  implementer: "compatible",
  types: "compatible",
};

/** Lets the verbs set a field of a transaction. */
const setField = (line: string) => (checkout: Checkout) =>
  checkout.edit(BODY, HOLD_IN_BODY, `${line}\n    ${HOLD_IN_BODY}`);

export const recipes: readonly Recipe[] = [
  {
    name: "an optional field",
    apply: (checkout) =>
      checkout.edit(
        TRANSACTION,
        HOLD,
        `${HOLD}\n  /** The merchant's branch; absent if unknown. */\n  branch?: string;\n`,
      ),
    refused:
      /^src\/world\/scripts\.ts: .+: no example has Transaction(Event)?\.branch: let a verb/m,
    mend: setField('branch: "Main",'),
    generated: [...CONTRACT, "types.ts", "resources.ts", "response-examples.ts"],
    byHand: [],
    breaks: COMPATIBLE,
    verdict: "minor",
  },
  {
    name: "a required field",
    apply: (checkout) =>
      checkout.edit(
        TRANSACTION,
        HOLD,
        `${HOLD}\n  /** The merchant's branch. */\n  branch: string;\n`,
      ),
    refused: /^src\/world\/scripts\.ts: .+\/.+ must have required property 'branch'/,
    mend: setField('branch: "Main",'),
    generated: [...CONTRACT, "types.ts", "resources.ts", "response-examples.ts"],
    byHand: [],
    breaks: {
      consumer: "compatible",
      caller: "compatible",
      implementer: "breaking",
      types: "breaking",
    },
    verdict: "major",
  },
  {
    name: "a value of an enum",
    apply: (checkout) =>
      checkout.edit(
        "spec/resources/card-subscription.tsp",
        '  deactivated: "deactivated",\n',
        '  deactivated: "deactivated",\n\n  /** The enrollment is on hold. */\n  paused: "paused",\n',
      ),
    generated: [...CONTRACT, "types.ts", "known-values.ts"],
    byHand: [],
    breaks: COMPATIBLE,
    verdict: "minor",
  },
  {
    name: "a rename",
    apply: (checkout) => checkout.edit(TRANSACTION, HOLD, "  billingHoldAmount: Amount;\n"),
    refused: /^src\/world\/scripts\.ts: .+\/.+ must have required property 'billingHoldAmount'/,
    mend: (checkout) => checkout.edit(BODY, HOLD_IN_BODY, "billingHoldAmount: amountOf("),
    generated: [...CONTRACT, "types.ts", "resources.ts", "response-examples.ts"],
    byHand: ["src/world/activity/bank-post.ts"],
    breaks: {
      consumer: "breaking",
      caller: "breaking",
      implementer: "breaking",
      types: "breaking",
    },
    verdict: "major",
  },
  {
    name: "an event",
    apply: addEvent,
    refused: /^spec\/examples\/card\.blocked\/: has no example: add one/,
    mend: addEventExample,
    generated: [...CONTRACT, "types.ts", "events.ts", "resources.ts"],
    byHand: [],
    gaps: ["event card.blocked: no script sends it"],
    breaks: {
      consumer: "compatible",
      caller: "none",
      implementer: "breaking",
      types: "compatible",
    },
    verdict: "major",
  },
  {
    name: "an endpoint",
    apply: addEndpoint,
    refused: /^spec\/examples\/getLimit\/: has no example: add one/,
    mend: addEndpointExample,
    generated: [...CONTRACT, "types.ts", "operations.ts", "resources.ts", "response-examples.ts"],
    byHand: ["src/contract/rules/index.ts"],
    gaps: ["GET /limits/{id}: the sandbox does not serve it"],
    breaks: {
      consumer: "none",
      caller: "compatible",
      implementer: "breaking",
      types: "compatible",
    },
    verdict: "major",
  },
  {
    name: "a removal",
    async apply(checkout) {
      await checkout.edit("spec/main.tsp", 'import "./resources/enrichment.tsp";\n', "");
      await rm(join(checkout.dir, "spec/resources/enrichment.tsp"));
    },
    refused: /example-orphan: enrichment\.merchant\.created: /,
    mend: (checkout) => checkout.edit("src/world/scripts.ts", 'call("enrich", PURCHASE)', ""),
    generated: [...CONTRACT, "types.ts", "events.ts", "response-examples.ts"],
    byHand: [
      "conformance/observe/deliveries/reading.ts",
      "conformance/verbs/purchases.ts",
      "src/contract/history/history-check.ts",
      "src/contract/history/messages.ts",
      "src/contract/validate.ts",
      "src/fixtures/variants.ts",
      "src/world/activity/enrichment.ts",
    ],
    breaks: { consumer: "breaking", caller: "none", implementer: "compatible", types: "breaking" },
    verdict: "major",
  },
  {
    name: "a requirement",
    apply: (checkout) =>
      checkout.edit(
        "spec/requirements.yaml",
        "# --- errors, limits, versioning\n",
        `- id: WHK-07
  how: [http]
  text: "A delivery is sent within a day."
  claims:
  - {id: within-a-day, text: "A delivery is sent within a day.", at: "Events, delivery"}
# --- errors, limits, versioning
`,
      ),
    generated: [...CONTRACT, "requirements.ts"],
    byHand: [],
    breaks: { consumer: "none", caller: "none", implementer: "breaking", types: "none" },
    verdict: "major",
  },
];
