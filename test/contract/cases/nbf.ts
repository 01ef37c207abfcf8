import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, derived, invalid, notice, silent, valid } from "./case.ts";
import { change, delivery, without } from "./payload.ts";

const ACCEPTED = delivery("networkbulkfeed.statechanged", "accepted");
const COUNTED = delivery("networkbulkfeed.statechanged", "accepted-with-card-count");
const FAILED = delivery("networkbulkfeed.statechanged", "failed");

/** Each required non-null field, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  subaccountId: ["CONV-01"],
  network: undefined,
  networkReference: undefined,
  oldState: undefined,
  newState: undefined,
  createdAt: ["CONV-02"],
  updatedAt: ["CONV-02"],
  _links: ["CONV-06"],
  "_links/self": ["CONV-05", "CONV-06"],
};

/** Requirements of bulk feeds that a single event can break. */
export const nbf: Case[] = [
  ...casesOf("NBF-01", [
    silent("the feed is accepted", ACCEPTED),
    silent("the feed is accepted and its cards counted", COUNTED),
    silent("expectedCardCount is 0", change(COUNTED, { "/expectedCardCount": 0 })),
    ...Object.entries(FIELDS).map(([field, also]) =>
      invalid(`${field} is absent`, without(ACCEPTED, `/${field}`), { also }),
    ),
    ...Object.entries(FIELDS).map(([field, also]) =>
      invalid(`${field} is null`, change(ACCEPTED, { [`/${field}`]: null }), { also }),
    ),
    invalid("the network is in lower case", change(ACCEPTED, { "/network": "network_b" })),
    invalid("networkReference is a number", change(ACCEPTED, { "/networkReference": 30961017 })),
    invalid("newState is a number", change(ACCEPTED, { "/newState": 2 }), { also: ["NBF-04"] }),
    ...Object.entries({ "a string": "250", "a fraction": 2.5, null: null }).map(([what, count]) =>
      invalid(`expectedCardCount is ${what}`, change(COUNTED, { "/expectedCardCount": count }), {
        also: ["NBF-03"],
      }),
    ),
    notice("the network is not configured", change(ACCEPTED, { "/network": "OTHER" })),
  ]),
  ...casesOf("NBF-02", [
    silent("a feed of NETWORK_B failed with an errorReason", FAILED),
    silent("a feed became active without an errorReason", ACCEPTED),
    silent("a feed of NETWORK_B failed without an errorReason", without(FAILED, "/errorReason")),
    silent(
      "a feed of NETWORK_A failed without an errorReason",
      change(without(FAILED, "/errorReason"), { "/network": "NETWORK_A" }),
    ),
    // "At present only for feeds of NETWORK_B" may change, so a deviation is not an error.
    valid(
      "a feed of NETWORK_A failed with an errorReason",
      change(FAILED, { "/network": "NETWORK_A" }),
    ),
    silent(
      "a feed of a network configured as B failed with an errorReason",
      change(FAILED, { "/network": "GREEN" }),
      { networks: { a: "RED", b: "GREEN", c: "BLUE" } },
    ),
    invalid(
      "a feed became active with an errorReason",
      change(ACCEPTED, { "/errorReason": "None" }),
    ),
    invalid(
      "a feed with a count became active with an errorReason",
      change(COUNTED, { "/errorReason": "Unknown issuer identification number" }),
    ),
    // The state is also unchanged, which is a warning (NBF-05).
    invalid(
      "a feed was submitted with an errorReason",
      change(FAILED, { "/newState": "submitted" }),
    ),
    invalid(
      "a failed feed became active with an errorReason",
      change(FAILED, { "/oldState": "failed", "/newState": "active" }),
    ),
    invalid("an active feed has an empty errorReason", change(ACCEPTED, { "/errorReason": "" })),
    invalid("an active feed has a null errorReason", change(ACCEPTED, { "/errorReason": null }), {
      also: ["NBF-01"],
    }),
    invalid("a failed feed has a numeric errorReason", change(FAILED, { "/errorReason": 17 }), {
      also: ["NBF-01"],
    }),
  ]),
  ...casesOf("NBF-04", [
    silent("a submitted feed became active", ACCEPTED),
    notice("the new state is an unknown value", change(ACCEPTED, { "/newState": "suspended" }), {
      also: ["NBF-01"],
    }),
    notice("the old state is an unknown value", change(ACCEPTED, { "/oldState": "draft" }), {
      also: ["NBF-01"],
    }),
  ]),
  ...casesOf("NBF-05", [
    silent("the states differ", FAILED),
    derived("an active feed became active", change(ACCEPTED, { "/oldState": "active" })),
    derived("a failed feed failed", change(FAILED, { "/oldState": "failed" })),
    derived("a submitted feed was submitted", change(ACCEPTED, { "/newState": "submitted" })),
    derived(
      "a feed stays in an unknown state",
      change(ACCEPTED, { "/oldState": "suspended", "/newState": "suspended" }),
    ),
  ]),
];
