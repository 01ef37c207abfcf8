import { expect, test } from "vitest";
import { namesOf, sent } from "../activity/fixture.ts";
import { TestSandbox } from "../test-sandbox.ts";

test("SUB-10: a minted card is announced only by its subscription", () => {
  const sandbox = new TestSandbox();
  const accounts = [{ name: "Business Credit", mask: "7731", type: "credit" }];
  const { bankLinkId } = sandbox.do("link-start", { accounts });
  const { events } = sandbox.do("link-complete", { bankLinkId });
  expect(namesOf(events)).toEqual(["banklink.completed", "cardsubscription.created"]);
  const [created] = sent<{ cardId: string }>(events, "cardsubscription.created");
  expect(created).toMatchObject({ enrollmentType: "bank-feed", state: "active" });
  expect(sandbox.get("cards", created?.cardId ?? "").internal.last4).toBe("7731");
});
