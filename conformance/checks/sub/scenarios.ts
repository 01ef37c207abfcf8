import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, ClaimAssertions, differences } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import {
  CLEARED,
  ENROLLED,
  hasVerbs,
  LINKED,
  runScenarios,
  type Scenarios,
  UPGRADED,
} from "../../scenarios/act.ts";
import {
  cardsOfNetworks,
  cleared,
  enrolled,
  type SubscriptionStep,
} from "../../scenarios/enrollment.ts";
import { distinctEvents, findEvents } from "../../scenarios/find-deliveries.ts";
import { cardFromLink, linked } from "../../scenarios/links.ts";
import {
  changedThrice,
  ended,
  repeated,
  type SubscriptionChange,
} from "../../scenarios/subscription-changes.ts";
import { upgradedAndCleared } from "../../scenarios/subscriptions.ts";
import type { Exchange } from "../../wire/exchange.ts";

/** Checks the start, the states and the end of subscriptions. */
export const subscriptionChecks: readonly Check[] = [
  // SUB-04: A cardholder-single enrollment starts in reqSCA, a network-bulk or bank-feed one in
  // active; each sends cardsubscription.created.
  {
    claims: ["SUB-04.single-starts", "SUB-04.single-created"],
    title: "a cardholder-single enrollment starts in reqSCA and is announced",
    requires: ENROLLED,
    run: async (session) => {
      const { completed, missing } = await runScenarios(
        async () => ({ ...(await enrolled(session)), situations: [] as readonly Situation[] }),
        ...(hasVerbs(session, "clearSca") ? (await ofNetworks(session)).map((x) => () => x) : []),
      );
      const assertions = new ClaimAssertions();
      for (const { result, deliveries, resource, situations } of completed) {
        begins(assertions, deliveries, resource, {
          id: result.subscriptionId,
          start: { "/enrollmentType": "cardholder-single", "/state": "reqSCA" },
          claims: ["SUB-04.single-starts", "SUB-04.single-created"],
          situations,
        });
      }
      return assertions.result("no card was enrolled", missing);
    },
  },
  {
    claims: ["SUB-04.feed-starts", "SUB-04.feed-created"],
    title: "a bank-feed enrollment starts in active and is announced",
    requires: LINKED,
    run: async (session) => {
      const { subscriptionId: id } = await cardFromLink(session);
      const { deliveries, resource } = await linked(session);
      const assertions = new ClaimAssertions();
      begins(assertions, deliveries, resource, {
        id,
        start: { "/enrollmentType": "bank-feed", "/state": "active" },
        claims: ["SUB-04.feed-starts", "SUB-04.feed-created"],
      });
      return assertions.result("no card was created");
    },
  },
  // SUB-05: State moves only reqSCA to active, active to deactivated, and active to reqSCA by the
  // in-place upgrade; other states are not shown.
  {
    claims: ["SUB-05.cleared"],
    title: "a driven subscription changes state only as specified",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await clearances(session);
      const assertions = new Assertions();
      for (const one of completed)
        moves(assertions.of("SUB-05.cleared", ...one.situations), one, ACTIVE);
      return assertions.result("the API shows no subscription", missing);
    },
  },
  {
    claims: ["SUB-05.deactivated"],
    title: "a subscription of each type ends as deactivated",
    requires: [...CLEARED, "verb:deactivate"],
    run: async (session) => {
      const { completed, missing } = await ended(session);
      const assertions = new Assertions();
      for (const one of completed) {
        const end = assertions.of("SUB-05.deactivated", ...one.situations);
        moves(end, one, { "/state": "deactivated" });
      }
      return assertions.result("no subscription ended", missing);
    },
  },
  {
    claims: ["SUB-05.no-other-move"],
    title: "a repeated verb does not change a subscription's state",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await repeated(session);
      const assertions = new Assertions();
      for (const { before, resource } of completed) {
        const state = memberOf(bodyOf(before), "state");
        if (state === undefined) continue;
        const same = assertions.of("SUB-05.no-other-move", "repeated-verb");
        same.hasValues(resource, { "/state": state }, before);
      }
      return assertions.result("the API shows no subscription", missing);
    },
  },
  {
    claims: ["SUB-05.no-other-move"],
    title: "subscriptions that change several times move only as specified",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await changedThrice(session);
      const states = ["active", "active", "deactivated"];
      const assertions = new Assertions();
      completed.forEach((one) => {
        const [ordinal] = one.situations;
        const at = ["first", "second", "third"].indexOf(`${ordinal}`);
        moves(assertions.of("SUB-05.no-other-move"), one, { "/state": states[at] });
      });
      return assertions.result("the API shows no subscription", missing);
    },
  },
];

const CREATED = "cardsubscription.created" as const;
const ACTIVE = { "/state": "active" };

/** The enrollments of cards of each network; none if the target refuses them. */
async function ofNetworks(session: Session) {
  try {
    const { completed } = await cardsOfNetworks(session);
    return completed.map(async ({ enrollment, networks }) => {
      return { ...enrollment, situations: networks };
    });
  } catch (error) {
    if (error instanceof Skip) return [];
    throw error;
  }
}

/** Every clearance of an SCA that the driver can cause. */
async function clearances(session: Session): Promise<Scenarios<SubscriptionChange>> {
  const can = UPGRADED.every((need) => {
    const verb = need.replace("verb:", "");
    return !need.startsWith("verb:") || session.capabilities.verbs.some((one) => one === verb);
  });
  const first = async (): Promise<SubscriptionChange> => {
    const { result, resource: before } = await enrolled(session);
    return { ...(await cleared(session)), id: result.subscriptionId, before, situations: [] };
  };
  const upgraded = async (): Promise<SubscriptionChange> => {
    const step = await upgradedAndCleared(session);
    return { ...step, id: step.card.subscriptionId, situations: ["upgraded"] };
  };
  const all = await runScenarios(first, ...(can ? [upgraded] : []));
  const networks = await runScenarios(() => cardsOfNetworks(session));
  const more = networks.completed.flatMap(({ completed }) => completed);
  const missing = all.missing ?? networks.missing ?? networks.completed[0]?.missing;
  return {
    completed: [
      ...all.completed,
      ...more.map(({ card, enrollment, clearance, networks: situations }) => {
        const before = enrollment.resource;
        return { ...clearance, id: card.subscriptionId, before, situations };
      }),
    ],
    ...(missing && { missing }),
  };
}

/** Asserts that a change has these values in the API and in its event, which is owed. */
function moves(
  assertions: Assertions,
  { id, deliveries, before, resource }: SubscriptionChange,
  values: Readonly<Record<string, unknown>>,
): void {
  assertions.hasValues(resource, values, before);
  const updates = findEvents(deliveries, "cardsubscription.updated", { "/id": id });
  assertions.wasDelivered(updates, `cardsubscription.updated of ${id}`, resource, (one) =>
    differences(one, values, [before]),
  );
  // A delivery of an earlier change may be late, or repeated.
  const from = String(memberOf(bodyOf(before), "updatedAt"));
  for (const one of updates) {
    const isLater = String(memberOf(one.json, "updatedAt")) > from;
    if (isLater) assertions.hasValues(one, values, before);
  }
}

/** A new subscription. */
interface Beginning {
  readonly id: string;
  readonly start: Readonly<Record<string, unknown>>;
  /** Of the initial state, and of the event. */
  readonly claims: readonly [ClaimId, ClaimId];
  readonly situations?: readonly Situation[];
}

/** Asserts that a subscription is announced once, with its initial values. */
function begins(
  assertions: Pick<Assertions, "of">,
  deliveries: SubscriptionStep["deliveries"],
  owedBy: Exchange,
  { id, start, claims, situations = [] }: Beginning,
): void {
  const [starts, sent] = claims;
  const created = findEvents(deliveries, CREATED, { "/id": id });
  const announcement = assertions.of(sent, ...situations);
  announcement.wasDelivered(created, `cardsubscription.created of ${id}`, owedBy);
  const once = `cardsubscription.created of ${id} once`;
  announcement.atMost(1, distinctEvents(created, deliveries), once);
  const values = assertions.of(starts, ...situations);
  for (const one of created.slice(0, 1)) values.hasValues(one, start);
  if (memberOf(bodyOf(owedBy), "id") === id) values.hasValues(owedBy, start, ...created);
}
