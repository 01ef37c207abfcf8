import { expect, test } from "vitest";
import { type Check, type Found, type Session, Skip } from "../../../conformance/check.ts";
import { bySituations } from "../../../conformance/checks/shared/factories.ts";
import { undueEvents } from "../../../conformance/scenarios/find-deliveries.ts";
import type { Delivery } from "../../../conformance/wire/exchange.ts";

const session = {} as Session;

function finding(found: Found | Skip): Check {
  return {
    claims: ["SUB-02.set-bulk", "SUB-02.null-others"],
    title: "a check of two claims",
    requires: [],
    run: async () => found,
  };
}

const situationsOf = { "SUB-02.set-bulk": ["network-bulk"] } as const;

test("a claim whose situations were not met is not decided", async () => {
  const found = { assertions: 1, breaches: [] };
  const decided = async (...situations: Found["situations"] & object) => {
    const result = await bySituations(finding({ ...found, situations }), situationsOf).run(session);
    return result instanceof Skip ? [] : [...(result.decided?.keys() ?? [])];
  };
  expect(await decided("bank-feed")).toEqual(["SUB-02.null-others"]);
  expect(await decided("network-bulk")).toEqual(["SUB-02.set-bulk", "SUB-02.null-others"]);
});

test("a skip stays a skip", async () => {
  const skip = new Skip("nothing");
  expect(await bySituations(finding(skip), situationsOf).run(session)).toBe(skip);
});

let nr = 0;
function delivery(name: string, json: unknown): Delivery {
  nr += 1;
  const request = { method: "POST", path: "/hook", headers: {}, body: JSON.stringify(json) };
  return { nr, name, json, request } as unknown as Delivery;
}

const created = (id: string) => delivery("cardsubscription.created", { id });
const changed = (state: string) => delivery("bankaccount.state_changed", { state });

test("the same content again is undue if the sender repeats no other delivery", () => {
  const [earlier, later] = [changed("active"), changed("active")];
  const others = ["1", "2", "3"].map(created);
  expect(undueEvents([later], [earlier], [...others, earlier, later])).toEqual([later]);
});

test("the same content again is a duplicate if the sender repeats deliveries", () => {
  const [earlier, later, other] = [changed("active"), changed("active"), changed("disconnected")];
  const repeated = ["1", "1", "2", "3"].map(created);
  const all = [...repeated, earlier, later, other];
  expect(undueEvents([later, other], [earlier], all)).toEqual([other]);
});
