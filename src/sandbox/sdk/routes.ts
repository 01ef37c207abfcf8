import { Hono } from "hono";
import { cors } from "hono/cors";
import * as z from "zod";
import type { Networks } from "../../contract/index.ts";
import { textLike } from "../../world/fields.ts";
import { notFound, Refusal } from "../../world/refusal.ts";
import { readInput } from "../../world/schema.ts";
import { accountOf } from "../http/authorization.ts";
import { assetResponse, loadPageAssets, withEtag } from "../page/assets.ts";
import { problemResponse } from "../problems.ts";
import { jsonObjectOf } from "../request-body.ts";
import type { Service } from "../service.ts";
import type { SqliteStore } from "../store/store.ts";

/** The input of the form. */
const Enrollment = z.strictObject({
  subaccountId: z.string(),
  cardNumber: textLike(/^9999\d{12}$/, "the number of a test card: 9999 and twelve digits"),
});

/**
 * The stand-in for the enrollment SDK: the script that the integrator's page loads, and the
 * requests of its form. The page has another origin, so CORS is allowed; the requests need a token
 * of the SDK credentials (AUTH-11).
 *
 * | Request | Response |
 * |---|---|
 * | GET /sdk.js | a classic script that defines `TxfeedSandbox.openForm` |
 * | GET /sdk/open-form.js | an ES module that exports `openForm` |
 * | GET /sdk/test-cards?subaccountId | the test cards of the form |
 * | POST /sdk/enrollments {subaccountId, cardNumber} | 201 {subscriptionId, cardId, state} |
 * | POST /sdk/enrollments/{subscriptionId}/sca | 200 {subscriptionId, cardId, state} |
 */
export function sdkApp(service: Service): Hono {
  const { engine, control } = service;
  const app = new Hono();
  app.onError(problemResponse);
  for (const path of ["/sdk.js", "/sdk/*"]) {
    app.use(path, cors({ origin: "*", allowHeaders: ["authorization", "content-type"] }));
  }

  app.get("/sdk.js", withEtag, async (c) => assetResponse(c, await loadPageAssets(), "sdk.js"));
  app.get("/sdk/open-form.js", withEtag, async (c) => {
    return assetResponse(c, await loadPageAssets(), "open-form.js");
  });
  app.get("/sdk/:name{.+\\.js}", (c) => {
    throw notFound("script", c.req.param("name") ?? "");
  });

  app.get("/sdk/test-cards", async (c) => {
    const accountId = await accountOf(engine, c, "sdk");
    const subaccountId = c.req.query("subaccountId") ?? "";
    const subaccount = engine.store.get("subaccounts", subaccountId);
    if (subaccount?.accountId !== accountId) throw notFound("subaccount", subaccountId);
    return c.json({ cards: testCards(engine.store, engine.settings.networks, subaccountId) });
  });

  app.post("/sdk/enrollments", async (c) => {
    const accountId = await accountOf(engine, c, "sdk");
    const { subaccountId, cardNumber } = readInput(Enrollment, await jsonObjectOf(c));
    const outcome = outcomeOf(cardNumber);
    if (outcome === "decline") throw new Refusal(422, "Declined", "the issuer declines this card");
    const { result } = await control.trigger("enroll", { accountId, subaccountId, cardNumber });
    const { subscriptionId } = result;
    if (outcome === "approve") await control.trigger("sca-pass", { accountId, subscriptionId });
    return c.json(enrolled(service, subscriptionId), 201);
  });

  app.post("/sdk/enrollments/:subscriptionId/sca", async (c) => {
    const accountId = await accountOf(engine, c, "sdk");
    const subscriptionId = c.req.param("subscriptionId");
    const { cardId } = engine.store.find("card-subscriptions", subscriptionId).body;
    const { last4 } = engine.store.find("cards", cardId).internal;
    const isPassed = outcomeOf(last4) === "sca-pass";
    await control.trigger(isPassed ? "sca-pass" : "sca-fail", { accountId, subscriptionId });
    if (!isPassed) throw new Refusal(422, "Authentication failed", "the challenge failed");
    return c.json(enrolled(service, subscriptionId));
  });

  return app;
}

/** The state of an enrollment. */
function enrolled({ engine }: Service, subscriptionId: string) {
  const { cardId, state } = engine.store.find("card-subscriptions", subscriptionId).body;
  return { subscriptionId, cardId, state };
}

/** The outcome of a test card, by the last digit of its number. */
type CardOutcome = "approve" | "sca-pass" | "sca-fail" | "decline";

/** A card that the form offers. */
export interface TestCard {
  /** 16 digits. No network issues numbers with this prefix. */
  readonly number: string;
  readonly network: string;
  readonly outcome: CardOutcome;
}

const OUTCOMES: Readonly<Record<string, CardOutcome>> = {
  1: "approve",
  2: "sca-pass",
  3: "sca-fail",
  4: "decline",
};

/** One card for each outcome that is not enrolled under the subaccount yet. */
function testCards(store: SqliteStore, networks: Networks, subaccountId: string): TestCard[] {
  const cards = store.children("cards", subaccountId);
  const taken = new Set(cards.map(({ internal }) => internal.last4));
  return Object.entries(OUTCOMES).map(([digit, outcome]) => {
    let last4 = `000${digit}`;
    for (let n = 1; taken.has(last4) && n < 1000; n += 1) {
      last4 = `${String(n).padStart(3, "0")}${digit}`;
    }
    return { number: `999900000000${last4}`, network: networks.a, outcome };
  });
}

/** The outcome of a card, by its number or last digits; undefined if it is not a test card. */
function outcomeOf(digits: string): CardOutcome | undefined {
  return OUTCOMES[digits.slice(-1)];
}
