import { expect, test } from "vitest";
import { undueEvents } from "../../../conformance/observe/deliveries/find.ts";
import type { Delivery } from "../../../conformance/wire/exchange.ts";

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
