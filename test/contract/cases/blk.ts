import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, without } from "./payload.ts";

const MINTED = delivery("banklink.completed", "credit-with-minted-cards");
const MATCHED = delivery("banklink.completed", "credit-with-enrolled-card");
const CARDLESS = delivery("banklink.completed", "credit-without-cards");
const SEVERAL = delivery("banklink.completed", "several-accounts");

const ACCOUNT = "/bankAccounts/0";
const CARD = `${ACCOUNT}/cards/0`;

/** Each field of an account, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  name: undefined,
  mask: undefined,
  type: undefined,
  cardIds: ["BLK-04"],
};

/** The same, with its second card among the minted cards but not in `cardIds`. */
const unlisted = without(MINTED, `${ACCOUNT}/cardIds/1`);

/** Completed bank links. */
export const blk: Case[] = [
  ...casesOf("BLK-01", [
    silent("a credit account minted two cards", MINTED),
    valid("two cards were matched by their last digits", MATCHED),
    valid("an account has no card", CARDLESS),
    valid("several accounts were linked", SEVERAL),
    silent("the mask begins with zeros", change(MINTED, { [`${ACCOUNT}/mask`]: "0007" })),
    invalid("bankLinkId is absent", without(MINTED, "/bankLinkId"), { also: ["CONV-01"] }),
    invalid("bankAccounts is absent", without(MINTED, "/bankAccounts")),
    invalid("bankAccounts is null", change(MINTED, { "/bankAccounts": null })),
    invalid(
      "bankAccounts is one account",
      change(MINTED, { "/bankAccounts": at(MINTED, ACCOUNT) }),
    ),
    invalid("bankAccounts has ids", change(MINTED, { "/bankAccounts": [OTHER_ID] })),
    ...Object.entries(FIELDS).map(([field, also]) =>
      invalid(`${field} is absent`, without(MATCHED, `${ACCOUNT}/${field}`), { also }),
    ),
    ...Object.entries(FIELDS).map(([field, also]) =>
      invalid(`${field} is null`, change(MATCHED, { [`${ACCOUNT}/${field}`]: null }), { also }),
    ),
    ...Object.entries({
      "has three digits": "520",
      "has five digits": "15205",
      "has letters": "52O5",
      "is masked": "**5205",
      "is a number": 5205,
    }).map(([what, mask]) =>
      invalid(`the mask ${what}`, change(MATCHED, { [`${ACCOUNT}/mask`]: mask })),
    ),
    invalid("the second account has no name", without(SEVERAL, "/bankAccounts/1/name")),
    notice(
      "the type of an account is an unknown value",
      change(CARDLESS, { [`${ACCOUNT}/type`]: "depository" }),
    ),
    notice(
      "the type of an account is in upper case",
      change(without(MINTED, `${ACCOUNT}/cards`), { [`${ACCOUNT}/type`]: "CREDIT" }),
    ),
  ]),
  ...casesOf("BLK-03", [
    silent("a credit account's minted cards are in cardIds", MINTED),
    silent("a credit account has no minted cards", without(MINTED, `${ACCOUNT}/cards`)),
    silent(
      "cardIds has a card that was enrolled before",
      change(MINTED, { [`${ACCOUNT}/cardIds/2`]: OTHER_ID }),
    ),
    valid("an account other than a credit account has no cards", MATCHED),
    invalid(
      "a depository account has cards",
      change(MINTED, { [`${ACCOUNT}/type`]: "depository" }),
    ),
    invalid(
      "an account of an unknown type has cards",
      change(MINTED, { [`${ACCOUNT}/type`]: "loan" }),
    ),
    invalid("a card is not in cardIds", unlisted),
    invalid("no card is in cardIds", change(MINTED, { [`${ACCOUNT}/cardIds`]: [] })),
    invalid(
      "a card is only in another account's cardIds",
      change(SEVERAL, {
        [`${ACCOUNT}/cardIds`]: [OTHER_ID],
        "/bankAccounts/1/cardIds": at(SEVERAL, `${ACCOUNT}/cardIds`),
      }),
    ),
    invalid(
      "a card's network is in upper case",
      change(MINTED, { [`${CARD}/network`]: "NETWORK_C" }),
    ),
    invalid("a card's network has a capital", change(MINTED, { [`${CARD}/network`]: "Network_c" })),
    ...["network-bulk", "cardholder-single", "BANK-FEED"].map((type) =>
      invalid(
        `a card was enrolled as ${type}`,
        change(MINTED, { [`${CARD}/enrollmentType`]: type }),
        {
          also: ["SUB-01"],
        },
      ),
    ),
    ...["subscriptionId", "last4digits", "network", "enrollmentType"].map((field) =>
      invalid(`${field} of a card is absent`, without(MINTED, `${CARD}/${field}`), {
        also: field === "subscriptionId" ? ["CONV-01"] : undefined,
      }),
    ),
    invalid(
      "a card has a last4digits of three digits",
      change(MINTED, { [`${CARD}/last4digits`]: "410" }),
    ),
    invalid("a card's last4digits is a number", change(MINTED, { [`${CARD}/last4digits`]: 4410 })),
    invalid("cards is null", change(MINTED, { [`${ACCOUNT}/cards`]: null })),
    invalid("cards has ids", change(MINTED, { [`${ACCOUNT}/cards`]: [OTHER_ID] }), {
      also: ["BLK-01"],
    }),
  ]),
];
