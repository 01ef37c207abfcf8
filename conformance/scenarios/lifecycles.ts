import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf } from "../assert.ts";
import type { EnrolledCard } from "../driver.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { drive, runScenarios, type Scenarios } from "./act.ts";
import { activeCard } from "./cards.ts";
import { authorize, clear, type PurchaseStep, post } from "./purchases.ts";

/** A purchase after one of its steps. */
export interface LifeStep {
  readonly verb: "authorize" | "postAtBank" | "clear";
  /** The id of the message that the driver reports; undefined for a posting. */
  readonly messageId?: string;
  readonly bankTransactionId?: string;
  readonly deliveries: readonly Delivery[];
  /** The API's responses: for the transaction, and for its messages in link order. */
  readonly resource: Exchange;
  readonly messages: readonly Exchange[];
}

/** A purchase that is authorized, posted by the bank and cleared by its network. */
export interface Life {
  /** The network of its card, as its authorization shows it; undefined for another network. */
  readonly network?: Situation;
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly transactionId: string;
  readonly authorizationId: string;
  readonly steps: readonly LifeStep[];
}

const NETWORKS = ["a", "b", "c"] as const;

const PURCHASES = {
  a: { amount: 71.23, merchant: "PANADERIA ALONDRA" },
  b: { amount: 163.57, merchant: "FJORD KAJAKK" },
  c: { amount: 338.41, merchant: "ATELIER BRUME" },
} as const;

/** Makes a purchase on each network, with cards that were enrolled before their bank was linked. */
export function lives(session: Session): Promise<Scenarios<Life>> {
  return session.share("scenario: a purchase on each network", async (own) => {
    const { networks } = own.capabilities;
    const cards: EnrolledCard[] = [];
    for (const key of NETWORKS) cards.push(await activeCard(own, networks[key]));
    const accounts = cards.map(({ last4 }) => ({ type: "credit" as const, last4 }));
    const { bankLinkId } = await drive(own, "startLink", { accounts });
    const { bankAccountIds } = await drive(own, "completeLink", {
      ...{ bankLinkId, by: "notification" },
    });
    return runScenarios(
      ...NETWORKS.map((key, i) => async () => {
        const cardId = cards[i]?.cardId ?? "";
        const bankAccountId = bankAccountIds[i];
        if (bankAccountId === undefined) throw new Skip(TOO_FEW);
        return live(own, { cardId, bankAccountId }, PURCHASES[key]);
      }),
    );
  });
}

const TOO_FEW = "the driver's verb completeLink returned fewer bankAccountIds than accounts";

async function live(
  session: Session,
  card: { readonly cardId: string; readonly bankAccountId: string },
  price: { readonly amount: number; readonly merchant: string },
): Promise<Life> {
  const authorized = await authorize(session, price, { card });
  const posted = await post(session, authorized, price);
  const cleared = await clear(session, posted);
  const { networks } = session.capabilities;
  const [authorization] = authorized.messages;
  const network = memberOf(authorization && bodyOf(authorization), "network");
  const key = NETWORKS.find((one) => networks[one] === network);
  return {
    ...card,
    ...(key && { network: `network-${key}` as const }),
    transactionId: authorized.transactionId,
    authorizationId: authorized.authorizationId,
    steps: [
      { ...stepOf("authorize", authorized), messageId: authorized.authorizationId },
      { ...stepOf("postAtBank", posted), bankTransactionId: posted.bankTransactionId },
      { ...stepOf("clear", cleared), messageId: cleared.result.messageId },
    ],
  };
}

function stepOf(
  verb: LifeStep["verb"],
  { deliveries, resource, messages }: PurchaseStep,
): LifeStep {
  return { verb, deliveries, resource, messages };
}
