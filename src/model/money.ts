// Sums are computed in whole minor units. Amounts on the wire are in major units.

/** Minor units of a transaction, in its own currency and in the cardholder's billing currency. */
export interface Cents {
  readonly transaction: number;
  readonly billing: number;
}

/** The most frequent currencies: a lookup with Intl is slow. */
const exponents = new Map([
  ["EUR", 2],
  ["USD", 2],
]);

/**
 * Returns the number of decimal places of a currency: 2 for EUR, 0 for JPY, 3 for KWD.
 *
 * @returns 2 if the text is not a code of three letters
 */
export function exponentOf(currency: string): number {
  let exponent = exponents.get(currency);
  if (exponent === undefined) {
    exponent = /^[A-Za-z]{3}$/.test(currency) ? decimalPlaces(currency) : 2;
    exponents.set(currency, exponent);
  }
  return exponent;
}

function decimalPlaces(currency: string): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Converts minor units to an amount on the wire: 4250 of EUR is 42.5. */
export function amountOf(cents: number, currency: string): number {
  return cents / 10 ** exponentOf(currency);
}

/**
 * Converts an amount on the wire to minor units: 42.5 of EUR is 4250. Rounds the decimal number as
 * written, halves away from zero.
 */
export function centsOf(amount: number, currency: string): number {
  // 1.005 * 100 is 100.49999999999999, so the decimal point is moved in the text.
  const [digits, power = "0"] = String(Math.abs(amount)).split("e");
  const cents = Math.round(Number(`${digits}e${Number(power) + exponentOf(currency)}`));
  return amount < 0 ? -cents : cents;
}
