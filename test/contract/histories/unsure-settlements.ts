import type { HistoryCase } from "./case.ts";
import { history } from "./delivery.ts";
import { announced, match, matched, retracted, updated } from "./money.ts";
import { purchase, settledByBank } from "./scenarios.ts";

const { auth, bank, cleared, at, pending } = purchase();
const off = { projected: false };

/** TXN-12: settlement of a purchase whose match is below HIGH. */
export const unsureSettlementCases: readonly HistoryCase[] = [
  ...[0.6, 0.3].flatMap((score): HistoryCase[] => {
    const story = (options: Parameters<typeof purchase>[0] = {}) => ({
      ...settledByBank(options),
      matched: matched(match("cafe", pending, [bank], { score })),
    });
    const unsure = { requirement: "TXN-12", expect: "warning", incomplete: "downgraded" } as const;
    return [
      {
        ...unsure,
        title: `a match of score ${score} settles the purchase`,
        deliveries: () => history(story()),
        lines: [7],
      },
      {
        ...unsure,
        title: `a match of score ${score} settles the purchase, projection off`,
        deliveries: () => history(story(off)),
      },
      {
        ...unsure,
        title: `a match of score ${score} follows the settlement`,
        deliveries: () => {
          const { matched: late, ...before } = story();
          return history(before, late);
        },
      },
      {
        requirement: "TXN-12",
        expect: "valid",
        title: `the network settles a purchase PENDING with a match of score ${score}`,
        deliveries: () => {
          const { posted, settled: _, ...before } = story();
          return history(before, announced(cleared), updated(at(30, [auth, cleared])));
        },
      },
      {
        requirement: "TXN-12",
        expect: "valid",
        title: `a match of score ${score} is replaced by a HIGH match that settles`,
        deliveries: () => {
          const { matched: unsureMatch, posted, settled: last, ...before } = story();
          const first = match("cafe", pending, [bank], { score });
          const sure = match("cafe again", pending, [bank]);
          const rematch = [retracted(first, "rematch_superseded"), matched(sure)];
          return history(before, unsureMatch, ...rematch, posted, last);
        },
      },
    ];
  }),
];
