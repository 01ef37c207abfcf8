import { expect, test } from "vitest";
import { addEndpoint, addEndpointExample, addEvent, addEventExample } from "./additions.ts";
import { Checkout } from "./checkout.ts";

test("check:coverage names an event and an endpoint that nothing knows", async () => {
  const checkout = await Checkout.copy();
  expect(await checkout.coverage()).toMatchObject({ status: 0, stderr: "" });

  await addEvent(checkout);
  await addEventExample(checkout);
  await addEndpoint(checkout);
  await addEndpointExample(checkout);
  expect(await checkout.generate()).toMatchObject({ status: 0 });
  expect(await checkout.coverage()).toEqual({
    status: 1,
    stdout: "",
    stderr: `event card.blocked: no script sends it: add one to src/world/scripts.ts, with its verb
GET /limits/{id}: the sandbox does not serve it: see respondTo in src/sandbox/http/app.ts
`,
  });
});
