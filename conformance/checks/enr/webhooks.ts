import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";

const EVENT = "enrichment.merchant.created";

export const enrichments: readonly Check[] = [
  // ENR-01: enrichment.merchant.created has id, createdAt, merchant {name, category}, location
  // {address, city, state, country, postalCode, phoneNumber} and the links message, merchant {href,
  // title}, merchant-logo {href, type, title}.
  {
    claims: ["ENR-01.fields", "ENR-01.external-links"],
    title: "enrichment.merchant.created has merchant, location and links",
    requires: ["deliveries"],
    run: async (session) => {
      const all = (await validatedDeliveriesOf(session)).filter(
        ({ delivery }) => delivery.name === EVENT,
      );
      if (all.length === 0) return new Skip(`no ${EVENT} was delivered`);
      // ENR-02: an invalid shape is not a failure. It does not pass ENR-01 either.
      const whole = all.filter(({ findings }) => findings.length === 0);
      const [departed] = all.flatMap(({ findings }) => findings);
      const reason = `ENR-02 allows a deviating shape, such as: ${departed?.message}`;
      return each(whole, new Skip(reason), () => []);
    },
  },
];
