import type { Mutation } from "../mutation.ts";
import { changeResource, dropEvents, type Json } from "../rewrite.ts";

const both = ["transaction-messages", "projection"] as const;

const isOn = (network: string) => (body: Json) => body.network === network;

/** Mutations that show on one network only. */
export const txnNetworks: readonly Mutation[] = [
  {
    id: "txn/silent-on-network-c",
    requirement: "TXN-13",
    description: "The clearing of a settled purchase on NETWORK_C is not announced",
    checks: [
      "TXN-13: a clearing supersedes the bank's message on each network",
      "WHK-05: each change of a driven transaction is announced as it is",
    ],
    deliveries: dropEvents(
      "transaction.updated",
      (body) => isOn("NETWORK_C")(body) && body.supersededMessageIds.length > 0,
    ),
  },
  {
    id: "txn/bank-message-of-default-network",
    requirement: "TXN-12",
    description: "The bank's message has the default network instead of the authorization's",
    checks: ["TXN-12: the bank's message inherits its fields on each network"],
    ...changeResource(both, (body) => {
      if (body.bankData && isOn("NETWORK_B")(body)) body.network = "NETWORK_A";
    }),
  },
];
