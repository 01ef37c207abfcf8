import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check } from "../../check.ts";
import { feedOf, observationsOf } from "../../observe/crawl.ts";
import { BANK_TRANSACTION, itemsOf, textOf } from "../../observe/feed.ts";
import { sameId } from "../../observe/operations.ts";
import { breachesOfKey, matchKeysOf, reconciles } from "../btx/http.ts";

const NO_MATCH = "no match names a bank transaction";
const HINT = "post a purchase at the bank";

export const matches: readonly Check[] = [
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  {
    claims: ["MAT-04.resolves"],
    title: "matches[].id of a match is the id of a bank transaction",
    requires: ["state"],
    run: async (session) => {
      const keys = (await matchKeysOf(session)).filter(({ exchange }) => exchange);
      return each(keys, await session.skip(NO_MATCH, HINT), breachesOfKey);
    },
  },
  {
    claims: ["MAT-04.same-account"],
    title: "matches[].bankAccountId is the account of the bank transaction",
    requires: ["state"],
    run: async (session) => {
      const bank = new Map(
        itemsOf(await feedOf(session), BANK_TRANSACTION).map((item) => [
          textOf(item.body, "id"),
          item,
        ]),
      );
      const named = (await observationsOf(session)).matches.flatMap(({ body, at, exchange }) => {
        const list = memberOf(body, "matches");
        return (Array.isArray(list) ? list : []).flatMap((one, i) => {
          const item = bank.get(textOf(one, "id"));
          const account = textOf(one, "bankAccountId");
          const own = textOf(item?.body, "bankAccountId");
          const path = `${at}/matches/${i}/bankAccountId`;
          return item && account && own ? [{ account, own, path, exchange, item }] : [];
        });
      });
      const skip = await session.skip(NO_MATCH, HINT);
      return each(named, skip, ({ account, own, path, exchange, item }): Breach[] => {
        if (sameId(account, own)) return [];
        const evidence = [exchange, item.exchange] as const;
        return [
          {
            path,
            expected: `${own}, the account of the bank transaction`,
            actual: account,
            evidence,
          },
        ];
      });
    },
  },
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  reconciles("MAT-11.names-listed", "GET /transaction-matches names only listed bank transactions"),
];
