import { describe, expect, test } from "vitest";
import {
  EXHAUSTIVE_LIMITS,
  OPENINGS,
  RANDOM_LIMITS,
} from "../../../conformance/explore/scripts.ts";
import { emptyModel, type Model } from "../../../conformance/verbs/model.ts";
import { Coverage, TABLES } from "../../../conformance/verbs/state-tables.ts";
import { namesIn, type Step } from "../../../conformance/verbs/step.ts";
import { ALPHABET, applied, meaningOf, stepsIn } from "../../../conformance/verbs/table.ts";

const opening = OPENINGS[1] ?? [];
const price = { amount: 31.2, merchant: "KIOSK MORGENROT" };
const authorize: Step = { verb: "authorize", as: "purchase 1", card: "card 1", ...price };
const debit: Step = {
  ...{ verb: "postAtBank", as: "posting 1", account: "account 1", purchase: "purchase 1" },
  ...price,
};
const movement: Step = { verb: "postAtBank", as: "posting 1", account: "account 1", ...price };

function modelAfter(...steps: readonly Step[]): Model {
  return steps.reduce((model, step) => {
    expect(meaningOf(model, step), JSON.stringify(step)).toBe("applies");
    return applied(model, step);
  }, emptyModel());
}

describe("the state tables", () => {
  test("have the rows of the interface", () => {
    const rows = Object.values(TABLES).map((table) => table.length);
    expect(rows).toEqual([6, 4, 2, 3]);
  });

  test("a row is covered if all of its cases happened", () => {
    const coverage = new Coverage();
    coverage.note({ table: "bank account connection", row: 3, case: "disconnected" });
    const part = coverage.tables().at(-1);
    expect(part?.rows).toEqual({ covered: 0, total: 3 });
    expect(part?.cases).toEqual({ covered: 1, total: 5 });
    expect(part?.states).toEqual({ covered: 2, total: 3 });
    coverage.note({ table: "bank account connection", row: 3, case: "auth_required" });
    expect(coverage.tables().at(-1)?.rows.covered).toBe(1);
    expect(coverage.tables().at(-1)?.missing).not.toContain("row 3 disconnected");
  });
});

describe("a card subscription", () => {
  test("goes from reqSCA to active to deactivated", () => {
    const enrolled = modelAfter({ verb: "enroll", as: "card 1" });
    expect(enrolled.cards["card 1"]?.state).toBe("reqSCA");
    expect(meaningOf(enrolled, { verb: "deactivate", card: "card 1" })).toBeUndefined();
    const active = applied(enrolled, { verb: "clearSca", card: "card 1" });
    expect(active.cards["card 1"]?.state).toBe("active");
    expect(meaningOf(active, { verb: "clearSca", card: "card 1" })).toBe("repeats");
    const ended = applied(active, { verb: "deactivate", card: "card 1" });
    expect(ended.cards["card 1"]?.state).toBe("deactivated");
    expect(meaningOf(ended, { verb: "deactivate", card: "card 1" })).toBe("repeats");
  });

  test("of a bank feed is upgraded in place, once", () => {
    const upgrade: Step = { verb: "upgrade", card: "card of account 2" };
    const upgraded = modelAfter(...opening, upgrade);
    expect(upgraded.cards["card of account 2"]).toMatchObject({
      ...{ state: "reqSCA", enrollmentType: "cardholder-single", account: "account 2" },
    });
    expect(meaningOf(upgraded, upgrade)).toBe("repeats");
    expect(meaningOf(upgraded, { verb: "upgrade", card: "card 1" })).toBeUndefined();
  });

  test("is linked in any state, to a connected account only", () => {
    const link: Step = { verb: "linkCard", card: "card 2", account: "account 2" };
    const enrolled = modelAfter(...opening, { verb: "enroll", as: "card 2" });
    expect(meaningOf(enrolled, link)).toBe("applies");
    const ended = modelAfter(
      ...opening,
      { verb: "enroll", as: "card 2" },
      { verb: "clearSca", card: "card 2" },
      { verb: "deactivate", card: "card 2" },
    );
    expect(meaningOf(ended, link)).toBe("applies");
    expect(applied(ended, link).cards["card 2"]).toMatchObject({
      ...{ state: "deactivated", account: "account 2" },
    });
    const lost = applied(enrolled, { verb: "disconnect", account: "account 2" });
    expect(meaningOf(lost, link)).toBeUndefined();
  });
});

describe("a bank account connection", () => {
  test("expires from active only, and is lost from any state", () => {
    const expire: Step = { verb: "expireConsent", account: "account 1" };
    const disconnect: Step = { verb: "disconnect", account: "account 1" };
    const expired = modelAfter(...opening, expire);
    expect(meaningOf(expired, expire)).toBe("repeats");
    expect(meaningOf(expired, disconnect)).toBe("applies");
    const lost = applied(expired, disconnect);
    expect(meaningOf(lost, expire)).toBe("repeats");
    expect(meaningOf(lost, { verb: "recover", account: "account 1" })).toBe("applies");
  });
});

describe("a feed", () => {
  test("is decided once", () => {
    const submitted = modelAfter({ verb: "submitFeed", as: "feed 1" });
    const accepted = applied(submitted, { verb: "acceptFeed", feed: "feed 1" });
    expect(accepted.feeds["feed 1"]?.state).toBe("active");
    expect(meaningOf(accepted, { verb: "acceptFeed", feed: "feed 1" })).toBe("repeats");
    expect(meaningOf(accepted, { verb: "rejectFeed", feed: "feed 1" })).toBeUndefined();
  });
});

describe("a purchase", () => {
  test("is settled by its whole debit, which the bank posts once", () => {
    const settled = modelAfter(...opening, authorize, debit);
    expect(settled.purchases["purchase 1"]?.status).toBe("SETTLED");
    expect(meaningOf(settled, { ...debit, as: "posting 2" })).toBeUndefined();
  });

  test("stays open after a debit of a part, and after days", () => {
    const part = modelAfter(...opening, authorize, { ...debit, amount: 15.6 });
    expect(part.purchases["purchase 1"]).toMatchObject({ isOpen: true, status: "PENDING" });
    const later = modelAfter(...opening, authorize, { verb: "advance", seconds: 172_800 });
    expect(later.purchases["purchase 1"]?.isOpen).toBe(true);
  });
});

describe("a posting", () => {
  test("is removed once", () => {
    const posted = modelAfter(...opening, movement);
    const remove: Step = { verb: "removeAtProvider", posting: "posting 1" };
    expect(meaningOf(posted, remove)).toBe("applies");
    expect(meaningOf(applied(posted, remove), remove)).toBe("repeats");
  });

  test("is a duplicate only next to an equal one", () => {
    const retire: Step = { verb: "retireDuplicate", posting: "posting 1" };
    expect(meaningOf(modelAfter(...opening, movement), retire)).toBeUndefined();
    const twice = modelAfter(...opening, movement, { ...movement, as: "posting 2" });
    expect(meaningOf(twice, retire)).toBe("applies");
  });
});

describe("the alphabet", () => {
  test("has only steps that mean something, of named resources", () => {
    for (const limits of [RANDOM_LIMITS, EXHAUSTIVE_LIMITS]) {
      const model = modelAfter(...opening, authorize, debit);
      const steps = stepsIn(model, ALPHABET, limits);
      expect(steps.length).toBeGreaterThan(15);
      for (const step of steps) expect(meaningOf(model, step)).toBeDefined();
      const gives = steps.flatMap((step) => namesIn(step).gives);
      for (const name of gives) expect(model).not.toHaveProperty([name]);
    }
  });

  test("shrinks to the verbs of the driver", () => {
    const steps = stepsIn(modelAfter(...opening), ["enroll", "disconnect"], RANDOM_LIMITS);
    expect(new Set(steps.map(({ verb }) => verb))).toEqual(new Set(["enroll", "disconnect"]));
  });
});
