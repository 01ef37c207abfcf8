import { describe, expect, test } from "vitest";
import { checkHistory } from "../../src/contract/history/index.ts";
import { validateEvent } from "../../src/contract/index.ts";
import { altered, type Delivery, history, without } from "./histories/delivery.ts";
import { match, matched, retracted } from "./histories/money.ts";
import { moved, posting, synced } from "./histories/resources.ts";
import {
  lateMatch,
  movement,
  purchase,
  retired,
  settledByBank,
  upgraded,
} from "./histories/scenarios.ts";

/** The delivery with an invalid member. */
const broken = (delivery: Delivery, member: string) =>
  altered(delivery, (body) => {
    Object.assign(body, { [member]: 5 });
  });

/** The requirements of the findings above notice. */
async function reported(deliveries: readonly Delivery[]): Promise<string[]> {
  const { findings } = await checkHistory(deliveries, { complete: true });
  return findings.filter(({ level }) => level !== "notice").map(({ requirement }) => requirement);
}

describe("an invalid delivery is the only finding, whatever depends on it", () => {
  const paid = settledByBank();
  const late = lateMatch();
  const { link, minted, upgraded: upgrade, cleared } = upgraded();
  const deleted = retired();
  const bankOnly = movement();

  test.each<[string, string, readonly Delivery[]]>([
    ["BTX-04", "a deletion", history({ ...deleted, removed: broken(deleted.removed, "reason") })],
    [
      "MAT-05",
      "a retraction",
      history({ ...deleted, retracted: broken(deleted.retracted, "reason") }),
    ],
    ["TXN-01", "a settlement", history({ ...paid, settled: broken(paid.settled, "descriptor") })],
    ["TXN-01", "a netting", history({ ...late, netted: broken(late.netted, "descriptor") })],
    [
      "TXN-04",
      "a creation",
      history({ ...bankOnly, standalone: broken(bankOnly.standalone, "status") }),
    ],
    ["CONV-01", "a completion", [broken(link, "bankLinkId"), minted]],
    ["CONV-01", "a minted card's subscription", [link, broken(minted, "cardId")]],
    ["CONV-01", "an upgrade", [link, minted, broken(upgrade, "cardId"), cleared]],
    [
      "BAC-02",
      "a state change of a bank account",
      [broken(moved("active", "auth_required"), "reason"), moved("auth_required", "active")],
    ],
  ])("%s of %s", async (requirement, _, deliveries) => {
    const all = await reported(deliveries);
    expect([...new Set(all)]).toEqual([requirement]);
  });
});

test("a deletion without an announcement still explains a retraction", async () => {
  expect(await reported(history(without(retired(), "synced")))).toEqual(["BTX-04", "MAT-04"]);
});

test("a bank-only transaction with card messages is reported once", () => {
  const { body } = altered(settledByBank().settled, (transaction) => {
    transaction.network = "OPEN_BANKING";
  });
  const { findings } = validateEvent("transaction.updated", body);
  const places = findings.map(({ requirement, path }) => `${requirement} ${path}`);
  expect(places).toEqual(["TXN-16 /network"]);
});

test("a capture's findings are not limited in number", async () => {
  const many = altered(settledByBank({ projected: false }).pending, ({ _links }) => {
    _links.messages = Array.from({ length: 200_000 }, (_, index) => ({
      href: `/transaction-messages/00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    }));
  });
  expect(await reported([many])).toHaveLength(200_000);
});

test("a posting that is matched many times is reported once", async () => {
  const { pending } = purchase();
  const bank = posting();
  const matches = Array.from({ length: 3 }, (_, index) => match(`${index}`, pending, [bank]));
  const all = history(synced(bank), ...matches.map(matched));
  const found = await reported(all);
  expect(found.filter((requirement) => requirement === "MAT-07")).toHaveLength(1);
  const last = matches.slice(1).map((of) => retracted(of, "rematch_superseded"));
  expect(await reported(history(...all, ...last))).toEqual([]);
});
