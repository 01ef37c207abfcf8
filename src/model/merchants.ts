/** A merchant, with its names in card data and bank data. */
export interface Merchant {
  /** The name in card data. */
  readonly descriptor: string;
  /** The text on the bank's statement. */
  readonly description: string;
  readonly name: string;
  readonly city: string;
  readonly country: string;
  readonly state: string;
  readonly mcc: string;
  /** Primary and detailed personal-finance category. */
  readonly category: readonly [string, string];
  /** The category in the enrichment. */
  readonly trade: string;
}

/** The default merchants. A seed's results depend on their order. */
export const MERCHANTS: readonly [Merchant, ...Merchant[]] = [
  {
    descriptor: "CORNER CAFE 12",
    description: "CORNER CAFE DUBLIN",
    name: "Corner Cafe",
    city: "Dublin",
    country: "IE",
    state: "D",
    mcc: "5812",
    category: ["FOOD_AND_DRINK", "FOOD_AND_DRINK_RESTAURANT"],
    trade: "Restaurants",
  },
  {
    descriptor: "HAFEN ELEKTRO GMBH",
    description: "HAFEN ELEKTRO HAMBURG",
    name: "Hafen Elektro",
    city: "Hamburg",
    country: "DE",
    state: "HH",
    mcc: "5732",
    category: ["GENERAL_MERCHANDISE", "GENERAL_MERCHANDISE_ELECTRONICS"],
    trade: "Electronics",
  },
  {
    descriptor: "PHARMACIE DU PARC",
    description: "CB PHARMACIE DU PARC LYON",
    name: "Pharmacie du Parc",
    city: "Lyon",
    country: "FR",
    state: "ARA",
    mcc: "5912",
    category: ["MEDICAL", "MEDICAL_PHARMACIES_AND_SUPPLEMENTS"],
    trade: "Pharmacies",
  },
  {
    descriptor: "NORDLYS BOKHANDEL",
    description: "NORDLYS BOKHANDEL OSLO",
    name: "Nordlys Bokhandel",
    city: "Oslo",
    country: "NO",
    state: "03",
    mcc: "5942",
    category: ["GENERAL_MERCHANDISE", "GENERAL_MERCHANDISE_BOOKSTORES_AND_NEWSSTANDS"],
    trade: "Bookshops",
  },
  {
    descriptor: "MERCADO DEL SOL 4471",
    description: "MERCADO DEL SOL SEVILLA",
    name: "Mercado del Sol",
    city: "Sevilla",
    country: "ES",
    state: "SE",
    mcc: "5411",
    category: ["FOOD_AND_DRINK", "FOOD_AND_DRINK_GROCERIES"],
    trade: "Groceries",
  },
];

const ELSEWHERE = { city: "Dublin", country: "IE", state: "D", mcc: "5999" };
const UNCATEGORIZED = ["GENERAL_MERCHANDISE", "GENERAL_MERCHANDISE_OTHER"] as const;

/** The merchant of a descriptor: a default merchant, or a new one with this name. */
export function merchantOf(descriptor: string): Merchant {
  const known = MERCHANTS.find((merchant) => merchant.descriptor === descriptor);
  const unknown = { descriptor, description: descriptor, name: descriptor, trade: "Shops" };
  return known ?? { ...ELSEWHERE, ...unknown, category: UNCATEGORIZED };
}

/** The fields of a merchant that a purchase can set. */
type MerchantChoice = {
  readonly [Field in "descriptor" | "city" | "country" | "state" | "mcc"]?: string | undefined;
};

/** Completes the given merchant with the default merchant of an index. */
export function merchantFor({ descriptor, ...given }: MerchantChoice, index: number): Merchant {
  const own = MERCHANTS[index % MERCHANTS.length] ?? MERCHANTS[0];
  const base = descriptor === undefined ? own : merchantOf(descriptor);
  const overrides = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(overrides) };
}
