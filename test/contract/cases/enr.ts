import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent } from "./case.ts";
import { change, delivery, withBody, without } from "./payload.ts";

const ENRICHED = delivery("enrichment.merchant.created", "enriched");

const FIELDS = [
  "id",
  "createdAt",
  "merchant",
  "location",
  "_links",
  "merchant/name",
  "merchant/category",
  "location/address",
  "location/city",
  "location/state",
  "location/country",
  "location/postalCode",
  "location/phoneNumber",
  "_links/message",
  "_links/merchant",
  "_links/merchant-logo",
  "_links/merchant/title",
  "_links/merchant-logo/type",
  "_links/merchant-logo/title",
];

/** A deviation may also be reported under the broken requirement or the one that downgrades it. */
const also: RequirementId[] = ["ENR-02", "CONV-01", "CONV-02", "CONV-05", "CONV-06"];

/** Enrichments are experimental, so their deviations are never errors. */
export const enr: Case[] = [
  ...casesOf("ENR-01", [
    silent("an enrichment has all fields", ENRICHED),
    ...FIELDS.map((field) =>
      notice(`${field} is absent`, without(ENRICHED, `/${field}`), { also }),
    ),
    notice("a postal code is a number", change(ENRICHED, { "/location/postalCode": 10115 })),
    notice("a merchant's name is null", change(ENRICHED, { "/merchant/name": null })),
    notice("the id is not a UUID", change(ENRICHED, { "/id": "enr_1" }), { also }),
    notice(
      "createdAt has no milliseconds",
      change(ENRICHED, { "/createdAt": "2025-03-04T12:31:00Z" }),
      { also },
    ),
    notice("the merchant's link has no href", without(ENRICHED, "/_links/merchant/href"), {
      also,
    }),
  ]),
  ...casesOf("ENR-02", [
    silent("there are unknown fields", change(ENRICHED, { "/merchant/rating": 4.5 })),
    notice("the location is a string", change(ENRICHED, { "/location": "Dublin" }), {
      also: ["ENR-01"],
    }),
    notice("the body has a completely different shape", withBody(ENRICHED, { merchant: "Cafe" }), {
      also: ["ENR-01", "CONV-01", "CONV-02", "CONV-06", "WHK-02"],
    }),
  ]),
  // The envelope is not experimental.
  ...casesOf("WHK-02", [
    ...Object.entries({
      "an array": [ENRICHED.body],
      "an empty array": [],
      null: null,
      "a string": "enriched",
      "a number": 1,
    }).map(([what, body]) =>
      invalid(`the body of an enrichment is ${what}`, withBody(ENRICHED, body)),
    ),
  ]),
  ...casesOf("WHK-03", [
    invalid("metadata of an enrichment is a string", change(ENRICHED, { "/metadata": "x" })),
    invalid(
      "resourceId of an enrichment is null",
      change(ENRICHED, { "/metadata": { resourceId: null } }),
    ),
  ]),
];
