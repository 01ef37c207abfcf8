const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

/** Values of every type, and edge cases that hand-written checks often miss. */
const VALUES: unknown[] = [
  ...[undefined, null, true, false, 0, -0, 1, -1, 2.5, 300, 1e300, Number.POSITIVE_INFINITY],
  ...[Number.NaN, "", " ", "\ud800", "x\udfff", "😀", "0", "NETWORK_A", "network_a", "Ünï"],
  ...["DEBIT_01", "2025-02-29", "2024-02-29", "2025-3-4", "2025-02-30T10:00:00.000Z"],
  ...["2025-02-28T24:00:00.000Z", "2025-03-04T12:30:15", "2025-03-04T12:30:15.1"],
  ...["2025-03-04T12:30:15.", "2025-03-04T12:30:16Z", "1900-02-29", "2000-02-29", "2100-02-29"],
  ...["0000-02-29", "2025-04-31", "2025-00-10", "2025-13-01"],
  ...["2024-02-29T23:59:59.999Z", "2025-03-04T23:59:60.000Z", "2025-03-04T12:30:15.000"],
  ...[30, 31, 100_000].map((digits) => `2025-03-04T12:30:15.${"1".repeat(digits)}`),
  ...[2048, 2049].flatMap((length) => [
    "https://a.example/".padEnd(length, "x"),
    `https://a.example/${"😀".repeat(length - 18)}`,
  ]),
  ...["/x\n", "/x\u2028y", "/\u00a0x", "/é", "/ x", "/?", "/~", "a:b", "HTTPS://A"],
  ...["https://a b", "A\u00a0", "1A", "Aa"],
  ...["ea9e2cb5-f6fc-4d76-ad1c-812d9eac6cc9", "EA9E2CB5-F6FC-4D76-AD1C-812D9EAC6CC9"],
  ...["ea9e2cb5-f6fc-4d76-ad1c-812d9eac6ccg", "ea9e2cb5f-6fc-4d76-ad1c-812d9eac6cc9"],
  ...["/", "//", "/x", "//x", "x", "https://a.b/c", "https:///", "/\n", "a.b.c", "Bearer", "HIGH"],
  ...["cardholder-single", "network-bulk", "bank-feed", "debit", "1234", "12345", "٣٣٣٣", "0042"],
  ...[[], [null], [[]], {}, { id: 1 }, { href: "/x" }, { length: 1 }, [{}, {}], nested(200)],
  ...[JSON.parse('{"__proto__": {"id": "x"}}'), { constructor: 1, hasOwnProperty: 2 }],
  ...[Array(300).fill({ href: "/x" }), Array(300).fill("x"), "x".repeat(5000), new Array(3)],
];
const KEYS = [
  ...["__proto__", "constructor", "hasOwnProperty", "toString", "0", "", "metadata", "extra"],
];

/** Copies a payload and changes one to three values in it. */
export function mutated(payload: unknown, random: () => number): unknown {
  const root = { body: structuredClone(payload) };
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) changeOne(root, random);
  return root.body;
}

function changeOne(root: { body: unknown }, random: () => number): void {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const places = placesIn(root);
  const { holder, key } = pick(places);
  const set = (name: string, value: unknown) =>
    Object.defineProperty(holder, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  const value = holder[key];
  const kind = random();
  if (kind < 0.2 && holder !== root) delete holder[key];
  else if (kind < 0.3 && holder !== root && !Array.isArray(holder)) set(pick(KEYS), pick(VALUES));
  else if (kind < 0.5) set(key, pick(places).holder[key]);
  else if (kind < 0.6 && typeof value === "object")
    set(key, Array.isArray(value) ? { ...value } : [value]);
  else if (kind < 0.8 && typeof value === "string") set(key, nearMiss(value, random));
  else set(key, pick(VALUES));
}

/** Changes, removes, duplicates or inserts one character of a string. */
function nearMiss(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const other = String.fromCharCode(random() < 0.9 ? 32 + random() * 95 : random() * 65_536);
  const inserted = [other, "", text.charAt(at).repeat(2), text.charAt(at) + other, "9", "0"];
  return text.slice(0, at) + inserted[Math.floor(random() * inserted.length)] + text.slice(at + 1);
}

interface Member {
  holder: Record<string, unknown>;
  key: string;
}

/** Lists the members of a payload: the first 40 of each object or array. */
function placesIn(value: unknown, depth = 0): Member[] {
  if (typeof value !== "object" || value === null || depth > 8) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder)
    .slice(0, 40)
    .flatMap((key) => [{ holder, key }, ...placesIn(holder[key], depth + 1)]);
}
