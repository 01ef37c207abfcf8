import { changeTransactionTransition, replaceAnnounce } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { changeEventsNamed, changeResource, dropEvents, mutationState } from "../rewrite.ts";
import { finals, settle } from "../transactions.ts";
import { clearings, isLastOfBank, isOfBank } from "./txn-steps.ts";

const MESSAGE = "transactionmessage.created" as const;
const UPDATED = "transaction.updated" as const;

/** Mutations of settlements by the bank and by the network. */
export const txnSettlement: readonly Mutation[] = [
  {
    id: "txn/high-match-does-not-settle",
    requirement: "TXN-12",
    description: "A bank settlement adds the message but does not change the status",
    checks: ["TXN-12: a posting matched with high confidence settles its purchase"],
    inside: changeTransactionTransition("bank-settlement", { to: "PENDING" }),
  },
  {
    id: "txn/settlement-unannounced",
    requirement: "TXN-12",
    description: "A bank settlement announces its message, but not transaction.updated",
    checks: ["TXN-12: a posting matched with high confidence settles its purchase"],
    inside: changeTransactionTransition("bank-settlement", { sends: [MESSAGE] }),
  },
  {
    id: "txn/settlement-own-approval",
    requirement: "TXN-12",
    description: "The bank's message does not inherit the approvalCode",
    checks: ["TXN-12: the bank's message inherits the fields of the authorization"],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) body.approvalCode = null;
    }),
  },
  {
    id: "txn/settlement-own-reference",
    requirement: "TXN-12",
    description: "The bank's message has its own reference: bank_ and an id",
    checks: [
      "TXN-12: a bank settlement inherits the fields of its authorization",
      "TXN-12: the bank's message inherits the fields of the authorization",
      "TXN-12: no delivery contradicts another",
      "TXN-12: a delivered bank settlement inherits the fields of its authorization",
    ],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) {
        body.transactionReference = `bank_${body.bankData.bankTransactionId.slice(0, 8)}`;
      }
    }),
  },
  {
    id: "txn/settlement-own-network",
    requirement: "TXN-12",
    description: "Every bank message has network OPEN_BANKING",
    checks: [
      "TXN-12: a bank settlement inherits the fields of its authorization",
      "TXN-12: the bank's message inherits the fields of the authorization",
      "TXN-12: no delivery contradicts another",
      "TXN-12: a delivered bank settlement inherits the fields of its authorization",
    ],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) body.network = "OPEN_BANKING";
    }),
  },
  {
    id: "txn/clearing-supersedes-nothing",
    requirement: "TXN-13",
    description: "The network's clearing does not supersede the bank's message, so both count",
    checks: [
      "TXN-13: a purchase is not settled by both the bank and the network",
      "TXN-13: the update with the network's clearing supersedes the bank's message",
      "TXN-13: the clearing of a part supersedes only the posting of that part",
      "TXN-13: a clearing supersedes the bank's message on each network",
      "TXN-13: the settled amounts follow a clearing of another amount",
      "TXN-13: no delivery contradicts another",
      "TXN-13: a delivered purchase is not settled by both the bank and the network",
    ],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) return;
      body.supersededMessageIds = [];
      for (const one of body._embedded?.messages ?? []) one.superseded = false;
      settle(body, finals(body));
    }),
  },
  {
    id: "txn/clearing-marked-later",
    requirement: "TXN-13",
    description: "The clearing's update is built before the superseded message is marked",
    checks: [
      "TXN-13: the update with the network's clearing supersedes the bank's message",
      "TXN-13: the clearing of a part supersedes only the posting of that part",
      "TXN-13: no delivery contradicts another",
    ],
    deliveries: changeEventsNamed(UPDATED, (body, { run }) => {
      const known = mutationState(run, body.id, () => ({ ids: [] as string[] }));
      const { ids } = known;
      known.ids = body.supersededMessageIds;
      body.supersededMessageIds = ids;
      for (const one of body._embedded?.messages ?? []) one.superseded = ids.includes(one.id);
    }),
  },
  {
    id: "txn/clearing-supersedes-itself",
    requirement: "TXN-13",
    description: "The first settlement wins: the network's clearing is marked as superseded",
    checks: [
      "TXN-13: the update with the network's clearing supersedes the bank's message",
      "TXN-13: no delivery contradicts another",
    ],
    ...changeResource("transactions", (body) => {
      const own = finals(body).filter((one) => !one.bankData);
      const banks = finals(body).filter(isOfBank);
      if (own.length !== 1 || banks.length !== 1 || !banks[0].superseded) return;
      body.supersededMessageIds = [own[0].id];
      own[0].superseded = true;
      banks[0].superseded = false;
      settle(body, banks);
    }),
  },
  {
    id: "txn/part-supersedes-all",
    requirement: "TXN-13",
    description: "The clearing of one part also supersedes the bank's messages of other parts",
    checks: [
      "MAT-08: each part of a purchase settles once, in any order of events",
      "TXN-13: the clearing of a part supersedes only the posting of that part",
    ],
    ...changeResource("transactions", (body) => {
      const own = finals(body).filter((one) => !one.bankData);
      const left = finals(body).filter((one) => isOfBank(one) && !one.superseded);
      const isPart = own.length === 1 && finals(body).length === 3;
      if (!isPart || left.length !== 1) return;
      left[0].superseded = true;
      body.supersededMessageIds.push(left[0].id);
      settle(body, finals(body));
    }),
  },
  {
    id: "txn/clearing-reopens",
    requirement: "TXN-13",
    description: "Superseding the bank's settlement sets the purchase to PENDING again",
    checks: [
      "TXN-13: the update with the network's clearing supersedes the bank's message",
      "TXN-20: no delivery contradicts another",
    ],
    inside: changeTransactionTransition("network-clearing", { to: "PENDING" }),
  },
  {
    id: "txn/later-debit-silent",
    requirement: "MAT-08",
    description: "Only the first bank debit of a purchase sends transaction.updated",
    checks: ["MAT-08: each part of a purchase settles once, in any order of events"],
    deliveries: dropEvents(
      "transaction.updated",
      (body) => isLastOfBank(body) && finals(body).filter(isOfBank).length > 1,
    ),
  },
  {
    id: "txn/debit-of-cleared-part-silent",
    requirement: "WHK-05",
    description: "A bank message that is superseded from the start is stored, but not announced",
    checks: [
      "WHK-05: a driven transaction and its messages are announced",
      "MSG-09: each message of a driven purchase is announced as GET returns it",
    ],
    inside: (run) =>
      replaceAnnounce((send, { name, order, body }, _work, fire) => {
        const cleared = mutationState(run, "cleared", () => new Set<string>());
        const isMessage = name === "transactionmessage.created" && body.messageType === "FINL_ADVC";
        if (isMessage && !body.bankData) cleared.add(order.resource);
        if (isMessage && isOfBank(body) && cleared.has(order.resource)) return fire();
        send(name, order, body);
      })(run),
  },
  {
    id: "txn/second-partial-clearing-counts-twice",
    requirement: "TXN-13",
    description: "Unless it is the last, a second clearing supersedes no bank message",
    checks: ["TXN-13: the clearing of a part supersedes only the posting of that part"],
    ...changeResource("transactions", (body) => {
      const [authorization] = body._embedded?.messages ?? [];
      const cleared = clearings(body).reduce((sum, one) => sum + one.transactionAmount, 0);
      const kept = finals(body).findLast((one) => one.superseded && isOfBank(one));
      const isPartial = authorization && cleared < authorization.transactionAmount - 0.01;
      if (!isPartial || clearings(body).length < 2 || !kept) return;
      kept.superseded = false;
      body.supersededMessageIds = body.supersededMessageIds.filter((id: string) => id !== kept.id);
      settle(
        body,
        finals(body).filter((one) => !one.superseded),
      );
    }),
  },
];
