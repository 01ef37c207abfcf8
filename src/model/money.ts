// Inside, money is whole minor units; on the wire it is a number of major units.

/** To ask Intl for the first one takes as long as a quarter of the small world: these are known. */
const exponents = new Map([
  ["EUR", 2],
  ["USD", 2],
]);

/**
 * Tells how many decimal places a currency has: 2 for EUR, 0 for JPY, 3 for KWD. What is no code
 * of three letters has 2.
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

/** Gives an amount as the wire has it, of minor units: 4250 of EUR is 42.5. */
export function amountOf(cents: number, currency: string): number {
  return cents / 10 ** exponentOf(currency);
}

/**
 * Gives the minor units of an amount of the wire: 42.5 of EUR is 4250. What is finer than the
 * currency is rounded by the decimal number that was written, halves away from zero.
 */
export function centsOf(amount: number, currency: string): number {
  // 1.005 * 100 is 100.49999999999999: the point is moved in the text instead.
  const [digits, power = "0"] = String(Math.abs(amount)).split("e");
  const cents = Math.round(Number(`${digits}e${Number(power) + exponentOf(currency)}`));
  return amount < 0 ? -cents : cents;
}
