import * as conditions from "./consequence-conditions.ts";
import { ANY, ENDPOINTS, IN_DELIVERIES, type Rule } from "./consequence-conditions.ts";

/** The rules by which causes explain others, from the access to the data to what it sums up to. */
export const RULES: readonly Rule[] = [
  {
    because: "a request without a valid token is refused",
    causes: ["AUTH-01", "AUTH-02", "AUTH-10"],
    consequences: [...ENDPOINTS, "CONV-09"],
    when: conditions.unauthorized,
  },
  {
    because: "a request that is refused with a valid token is also refused with an invalid one",
    causes: ["AUTH-01", "PAGE-01", "PAGE-03", ...ENDPOINTS],
    consequences: [
      ...(["AUTH-04", "AUTH-05", "AUTH-06", "AUTH-07", "AUTH-08", "AUTH-09", "AUTH-11"] as const),
      "ERR-01",
    ],
    when: conditions.sameStatus,
  },
  {
    because: "the resources belong to another account",
    causes: ["AUTH-12"],
    consequences: ["EP-13", "CONV-09", "PAGE-01", "PAGE-05", "PAGE-08", "PAGE-11", "PAGE-12"],
  },
  {
    because: "the body that disagrees with all others is the wrong one",
    causes: ANY,
    consequences: ANY,
    when: conditions.misdirected,
  },
  {
    because: "an unreadable delivery announces nothing",
    causes: ["WHK-01", "WHK-02"],
    consequences: IN_DELIVERIES,
    when: conditions.deliveries,
  },
  {
    because: "a body of another shape has other fields",
    causes: ["WHK-02"],
    consequences: ["WHK-01", "TXN-01", "SUB-01", "MSG-01", "BTX-01", "MAT-01", "NBF-01"],
  },
  {
    because: "a malformed link differs from the same link elsewhere",
    causes: ["CONV-05"],
    consequences: ["MSG-09", "MSG-12"],
    when: conditions.aboutLinks,
  },
  {
    because: "a malformed identifier matches no other one",
    causes: ["CONV-01"],
    consequences: ["EP-10", "EP-12", "MAT-05", "MAT-07", "BTX-05", "CONV-07", "CONV-08", "MSG-12"],
  },
  {
    because: "a wrong link leads nowhere",
    causes: ["CONV-05", "CONV-07", "CONV-08", "SUB-02", "SUB-03", "TXN-01", "TXN-03"],
    consequences: ["EP-04", "EP-05", "EP-13", "MSG-09", "CONV-09"],
    when: conditions.refused,
  },
  {
    because: "a wrong link leads nowhere",
    causes: ["TXN-01"],
    consequences: ["EP-04"],
  },
  {
    because: "a link with a prefix leads to no path of the interface",
    causes: ["CONV-09"],
    consequences: ["EP-13"],
    when: conditions.prefixed,
  },
  {
    because: "a match that must not be announced is not served",
    causes: ["MAT-02"],
    consequences: ["EP-12"],
    when: conditions.unwanted,
  },
  {
    because: "a link can't be followed to a resource that is not served",
    causes: ["EP-04", "EP-05", "EP-10", "EP-12", "EP-13", "MSG-03"],
    consequences: ["CONV-09", "MSG-09", "MSG-11", "MAT-04", "MAT-08"],
  },
  {
    because: "a body that is not HAL has neither items nor links",
    causes: ["CONV-06"],
    consequences: [...ENDPOINTS, "PAGE-04", "PAGE-10"],
    when: conditions.notHal,
  },
  {
    because: "a walk without some items or links, or with repeated ones, counts others",
    causes: [
      ...(["PAGE-01", "PAGE-03", "PAGE-05", "PAGE-06", "PAGE-08", "PAGE-09", "PAGE-10"] as const),
      ...(["PAGE-11", "PAGE-13", "PAGE-15"] as const),
    ],
    consequences: ["PAGE-07", "PAGE-12"],
  },
  {
    because: "the message of a bank-only movement must be announced",
    causes: ["TXN-15"],
    consequences: ["MSG-09", "WHK-05"],
    when: conditions.missing("transactionmessage.created"),
  },
  {
    because: "an event that was not sent announces no id",
    causes: ["BTX-01", "SUB-08"],
    consequences: ["MSG-11", "MAT-04", "BTX-04"],
    when: conditions.missing("banktransaction.created"),
  },
  {
    because: "an event that was not sent announces no id",
    causes: ["SUB-08"],
    consequences: ["MAT-05", "MAT-09"],
    when: conditions.missing("transaction.match.created"),
  },
  {
    because: "an event with an unknown id announces no listed match",
    causes: ["EP-12"],
    consequences: ["MAT-01", "MAT-11"],
    when: conditions.unknownIds,
  },
  {
    because: "an event with the id of another match announces no new one",
    causes: ["MAT-07"],
    consequences: ["MAT-01", "MAT-11", "EP-12"],
    when: conditions.about("matchId"),
  },
  {
    because: "a match that was not announced can't be found, retracted or listed",
    causes: ["MAT-01", "MAT-04"],
    consequences: [
      ...(["MAT-05", "MAT-07", "MAT-08", "MAT-09", "MAT-11", "SUB-08", "BTX-05"] as const),
      "BTX-07",
    ],
  },
  {
    because: "later events name matches by the ids that the API knows",
    causes: ["EP-12"],
    consequences: ["MAT-05", "MAT-07", "MAT-11", "BTX-05"],
    when: conditions.farMore,
  },
  {
    because: "a removal that was not announced looks like a loss",
    causes: ["BTX-04", "BTX-05", "MAT-05", "MAT-07"],
    consequences: ["EP-12", "BTX-07", "MAT-11"],
  },
  {
    because: "a retraction follows a deletion",
    causes: ["BTX-04", "MAT-05"],
    consequences: ["BTX-05", "MAT-07"],
  },
  {
    because: "the bank's message inherits the approvalCode of its authorization",
    causes: ["MSG-06"],
    consequences: ["TXN-12"],
    when: conditions.farMore,
  },
  {
    because: "the update that a step requires is one of the changes that must be announced",
    causes: ["TXN-12", "TXN-13", "TXN-14", "MAT-08"],
    consequences: ["WHK-05"],
    when: conditions.notSent("transaction.updated"),
  },
  {
    because: "the message of a posting is found by its bank transaction",
    causes: ["MSG-11", "MSG-10", "MAT-02", "TXN-04"],
    consequences: ["TXN-12", "TXN-14", "TXN-15", "MAT-08"],
  },
  {
    because: "a settled amount is the sum of the messages in force",
    causes: [
      ...(["TXN-06", "TXN-07", "TXN-08", "TXN-11", "TXN-13", "TXN-16", "MSG-09"] as const),
      ...(["MSG-11", "MSG-12", "EP-04"] as const),
    ],
    consequences: ["TXN-09", "MAT-08"],
  },
  {
    because: "a netted transaction settles 0, whatever its messages sum up to",
    causes: ["TXN-14"],
    consequences: ["TXN-09"],
    when: conditions.zero,
  },
  {
    because: "a superseded message must be linked",
    causes: ["TXN-07"],
    consequences: ["TXN-06"],
    when: conditions.more,
  },
  {
    because: "the set of superseded messages has wrong ids",
    causes: ["TXN-11", "EP-03", "EP-04"],
    consequences: ["TXN-08"],
    when: conditions.about("supersededMessageIds"),
  },
  {
    because: "the order of states follows from the state that a step reaches",
    causes: ["BAC-04"],
    consequences: ["BAC-01", "BAC-03", "BAC-05"],
    when: conditions.state,
  },
  {
    because: "an event with a wrong state breaks the order of states",
    causes: ["BAC-01", "BAC-02", "NBF-01", "NBF-05"],
    consequences: ["BAC-03", "BAC-04", "BAC-05", "NBF-04"],
    when: conditions.sameFamily,
  },
  {
    because: "a state that must not be entered breaks the order of states",
    causes: ["BAC-05"],
    consequences: ["BAC-03"],
  },
  {
    because: "the fields of an event depend on its state",
    causes: ["NBF-04"],
    consequences: ["NBF-02"],
  },
  {
    because: "the mask of an account is compared with the digits of its card",
    causes: ["BLK-03"],
    consequences: ["BLK-01"],
    when: conditions.expecting("the last 4 digits of its card"),
  },
  {
    because: "a change that is announced as a creation looks like a new card",
    causes: ["SUB-09"],
    consequences: ["BLK-05", "SUB-07"],
    when: conditions.moreOfEvent,
  },
  {
    because: "a completion that is announced wrongly describes its cards wrongly",
    causes: ["BLK-01", "BLK-02"],
    consequences: ["BLK-03", "EP-07"],
  },
  {
    because: "the cards of a completion are compared with their subscriptions",
    causes: ["BLK-03"],
    consequences: ["BLK-05"],
  },
  {
    because: "a card that a completion creates starts a subscription",
    causes: ["BLK-05"],
    consequences: ["SUB-04", "SUB-09"],
  },
  {
    because: "a change that is announced as a creation is not announced as a change",
    causes: ["WHK-05", "SUB-09"],
    consequences: ["TXN-12", "TXN-13", "TXN-14", "WHK-06", "SUB-06", "SUB-07"],
    when: conditions.eventMisses,
  },
  {
    because: "a change that was not announced shows only in the resource",
    causes: ["SUB-05", "SUB-06", "SUB-07", "SUB-09"],
    consequences: ["SUB-01", "SUB-09"],
    when: conditions.eventMissing,
  },
  {
    because: "the fields of a subscription follow from its enrollmentType",
    causes: ["SUB-04", "SUB-06", "SUB-07"],
    consequences: ["SUB-01", "SUB-02", "SUB-03"],
    when: conditions.state,
  },
  {
    because: "an event of another shape is left out of the history",
    causes: ["SUB-02", "SUB-03", "SUB-09"],
    consequences: ["SUB-01"],
    when: conditions.history,
  },
  {
    because: "the effect of a change shows in the fields of a subscription",
    causes: ["SUB-02", "SUB-03"],
    consequences: ["SUB-04", "SUB-06", "SUB-07"],
  },
  {
    because: "later changes start from the state of a new subscription",
    causes: ["SUB-04"],
    consequences: ["SUB-07", "SUB-09"],
  },
  {
    because: "a subscription that is not active has no linked card",
    causes: ["SUB-05"],
    consequences: ["TXN-17", "BLK-04"],
  },
  {
    because: "an event of another shape lacks the fields of its table",
    causes: ["WHK-05", "SUB-09"],
    consequences: ["TXN-01", "TXN-02", "TXN-05", "TXN-06", "TXN-13", "SUB-01", "SUB-06", "SUB-07"],
    when: conditions.sameEvent,
  },
  {
    because: "the events of a transaction are the same for every subscription",
    causes: ["WHK-05"],
    consequences: ["WHK-06"],
  },
  {
    because: "later steps start from the state that this step must reach",
    causes: ["TXN-12", "TXN-14", "TXN-15"],
    consequences: ["TXN-16", "TXN-20", "MSG-06"],
  },
];
