import { expect, test } from "vitest";
import { merchantTextOf, statesDay } from "../../../src/model/matching/merchant-text.ts";

test.each([
  ["SQ *CORNER CAFE 12", "CORNER CAFE"],
  ["PAYPAL *CORNERCAFE", "CORNERCAFE"],
  ["TST* CORNER CAFE", "CORNER CAFE"],
  ["PADDLE.NET* CORNER", "CORNER"],
  ["CORNER MKTPL*2K4T81AB3", "CORNER MKTPL"],
  ["POS DEBIT 1234 CORNER CAFE DUBLIN", "CORNER CAFE"],
  ["CB CORNER CAFE FACT 040325", "CORNER CAFE"],
  ["COMPRA TARJ. 4321XXXXXXXX1234 CORNER CAFE-DUBLIN", "CORNER CAFE"],
  ["CORNER CAFE ON 04 MAR CLP", "CORNER CAFE"],
  ["9236 28JAN25 CORNER CAFE GB", "CORNER CAFE"],
  ["BEA NR:7XK2 04.03.25/10.22 NOVA CAFE DUBLIN,PAS123", "NOVA CAFE"],
  ["CORNER CAFE S.A.R.L.", "CORNER CAFE"],
  ["CORNER CAFE GMBH & CO KG", "CORNER CAFE"],
  ["CORNER CAFE #0423", "CORNER CAFE"],
  ["CORNER CAFE DUB", "CORNER CAFE"],
  ["DUBLIN", "DUBLIN"],
  ["PAIEMENT CB 0403 DUBLIN CORNER CAFE", "CORNER CAFE"],
  ["Müller's Bäckerei", "MULLERS BACKEREI"],
  ["MUELLERS BAECKEREI", "MULLERS BACKEREI"],
  ["O2 SHOP", "O2 SHOP"],
  ["FOX24CLOUD", "FOXCLOUD"],
  ["SMØRREBRØD ŁÓDŹ", "SMORREBROD LODZ"],
])("%s names %s", (text, name) => {
  expect(merchantTextOf(text, "Dublin")?.words.join(" ")).toBe(name);
});

test.each(["CARD PAYMENT 1234", "", "0045 1277", "PayPal", "SUMU", "XX", "POS DEBIT A"])(
  "%j names no merchant",
  (text) => {
    expect(merchantTextOf(text, "Dublin")).toBeNull();
  },
);

test.each([
  "CB CORNER CAFE FACT 040325",
  "PAIEMENT CB 0403 LYON CORNER CAFE",
  "CORNER CAFE ON 04 MAR CLP",
  "1234 04MAR25 CORNER CAFE",
  "CORNER CAFE//DUBLIN/IE 2025-03-04T10:22",
  "CHECKCARD 0304 CORNER CAFE",
  "DEBIT CARD PURCHASE - CORNER CAFE 03/04",
  "BEA NR:7XK2 04.03.25/10.22 CORNER CAFE",
])("%s contains the date", (text) => {
  expect(statesDay(text, "2025-03-04")).toBe(true);
});

test.each(["CORNER CAFE", "CB 0503 CORNER CAFE", "1040325 CORNER CAFE", "CORNER CAFE 104.035"])(
  "%s does not contain it",
  (text) => {
    expect(statesDay(text, "2025-03-04")).toBe(false);
  },
);
