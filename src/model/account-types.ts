/** What providers call a kind of account, in lower case and single spaces, by normalized type. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  credit: ["credit", "credit card", "creditcard", "card", "charge card", "line of credit"],
  depository: [
    ...["depository", "checking", "current", "current account", "giro", "cacc"],
    ...["savings", "savings account", "svgs", "cash management", "money market", "prepaid"],
  ],
  loan: ["loan", "mortgage", "student", "auto", "home equity"],
  investment: ["investment", "brokerage", "pension", "retirement"],
};

const NORMALIZED = new Map(
  Object.entries(NAMES).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
);

/**
 * Normalizes a provider's type of account, such as `Credit Card`, `CREDIT` or
 * `depository/checking`: by all of it, or by the first of its parts that is known.
 *
 * @returns `credit`, which is the one shown, or one of the sandbox's own choice: `depository`,
 * `loan`, `investment`, and `other` for what is not known
 */
export function normalizedType(type: string): string {
  const parts = [type, ...type.split(/[/|:.]/)];
  const names = parts.map((part) =>
    part
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim(),
  );
  const known = names.find((name) => NORMALIZED.has(name));
  return NORMALIZED.get(known ?? "") ?? "other";
}
