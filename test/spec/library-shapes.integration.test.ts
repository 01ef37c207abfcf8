import { getOpenAPI3 } from "@typespec/openapi3";
import { expect, test } from "vitest";
import type { PathItem } from "../../spec/library/document.ts";
import { emit, SMALL } from "./library-tester.ts";

/**
 * Compares the emitter with `@typespec/openapi3` on contracts of other shapes than ours: every
 * difference is one that the library's README lists.
 */

interface Shape {
  readonly shape: string;
  readonly source: string;
  readonly files: readonly string[];
  /** What differs from the plain document, besides webhooks: a path in it, and both values. */
  readonly differs: Record<string, readonly [plain: unknown, ours: unknown]>;
}

const removed = (plain: unknown) => [plain, undefined] as const;
const ANYTHING = expect.anything();
const anyOf = (name: string) => [{ $ref: `#/components/schemas/${name}` }, { type: "null" }];

const SHAPES: readonly Shape[] = [
  {
    shape: "unions",
    source: `${SMALL}
      union Payment { card: Card, transfer: Transfer, none: null }
      model Card { number: string; } model Transfer { iban: string; }
      @discriminated(#{ discriminatorPropertyName: "kind", envelope: "none" })
      union Source { one: One, two: Two }
      model One { kind: "one"; } model Two { kind: "two"; twin?: Twin; } model Twin { x: int32; }
      union Mixed { string, int32, boolean }
      union Level { low: 1, high: 2 }
      enum Colour { red, green: "GREEN" }
      model Order { pay: Payment; source: Source; mixed: Mixed; level: Level; colour?: Colour | null }
      @route("/orders") @get op orders(): Order[];`,
    files: ["openapi.json"],
    differs: { "/components/schemas/Level/type": ["number", "integer"] },
  },
  {
    shape: "inheritance",
    source: `${SMALL}
      @discriminator("kind") model Pet { kind: string; name: string; }
      model Cat extends Pet { kind: "cat"; toys: Toy[]; }
      @discriminator("breed") model Dog extends Pet { kind: "dog"; breed: string; }
      model Poodle extends Dog { breed: "poodle"; salon: Salon; }
      model Toy { label: string; } model Salon { city: string; }
      model Base { id: string; } model Middle extends Base { at: utcDateTime; }
      model Leaf extends Middle { ...Record<int32>; } model Unused extends Base { x: string; }
      @route("/pets") @get op pets(): Pet; @route("/leaf") @get op leaf(): Leaf;`,
    files: ["openapi.json"],
    differs: { "/components/schemas/Unused": removed(ANYTHING) },
  },
  {
    shape: "templates",
    source: `${SMALL}
      model Page<Item> { items: Item[]; next?: string; }
      model OrderPage is Page<Order>;
      @friendlyName("{name}Envelope", Body) model Envelope<Body> { body: Body; at: utcDateTime; }
      model Order { id: Identifier; parent: Identifier | null; labels: Labels | null; }
      @minLength(3) scalar Identifier extends string;
      model Labels is string[];
      op Read<Item>(@path id: Identifier): Item | Missing;
      @error model Missing { @statusCode _: 404; reason: string; }
      @webhook(Name) op Send<Name extends valueof string, Body>(@body body: Envelope<Body>): void;
      @route("/orders") interface Orders {
        @get list(): OrderPage; @get read is Read<Order>;
        placed is Send<"order.placed", Order>; paged is Send<"page.sent", Page<Order>>;
      }`,
    files: ["openapi.json"],
    differs: {
      "/components/schemas/LabelsItem": removed(ANYTHING),
      "/components/schemas/Order/properties/parent/anyOf": removed(anyOf("Identifier")),
      "/components/schemas/Order/properties/parent/type": [undefined, ["string", "null"]],
      "/components/schemas/Order/properties/parent/minLength": [undefined, 3],
      "/components/schemas/Order/properties/labels/anyOf": removed(anyOf("LabelsItem")),
      "/components/schemas/Order/properties/labels/type": [undefined, ["array", "null"]],
      "/components/schemas/Order/properties/labels/items": [undefined, { type: "string" }],
    },
  },
  {
    shape: "a service twice",
    source: `
      namespace Shared { model Money { amount: decimal; } model Unused { x: string; } }
      @service(#{ title: "Orders" }) @route("/orders") namespace Orders {
        model Order { total: Shared.Money; }
        @get op list(): Order[];
        @webhook("placed") op placed(@body order: Order): void;
      }
      @service(#{ title: "Refunds" }) @route("/refunds") namespace Refunds {
        model Refund { total: Shared.Money; }
        @get op list(): Refund[];
        @webhook("placed") op placed(@body refund: Refund): void;
      }`,
    files: ["openapi.Orders.json", "openapi.Refunds.json"],
    differs: {},
  },
];

test.each(SHAPES)("$shape: the documents differ from plain ones as listed", async (row) => {
  const { program, outputs, codes } = await emit(row.source);
  expect(codes).toEqual([]);
  const records = await getOpenAPI3(program, { "openapi-versions": ["3.1.0"] });
  const plain = records.flatMap((record) =>
    record.versioned ? record.versions.map(({ document }) => document) : [record.document],
  );
  const ours = Object.entries(outputs).filter(([name]) => name.endsWith(".json"));
  expect(ours.map(([name]) => name)).toEqual(row.files);
  const differing = plain.map((document, at) =>
    differences(withWebhooks(document), JSON.parse(ours[at]?.[1] ?? "{}")),
  );
  expect(Object.fromEntries(differing.flat())).toEqual(row.differs);
});

/** Moves the webhooks of a plain document out of its paths, as the README says. */
function withWebhooks(plain: object): unknown {
  const document = JSON.parse(JSON.stringify(plain));
  for (const [path, item] of Object.entries<PathItem>(document.paths)) {
    for (const operation of Object.values(item)) {
      if (operation?.parameters?.length === 0) delete operation.parameters;
    }
    if (path.startsWith("/")) continue;
    const name = path.slice(1);
    delete document.paths[path];
    const webhook = { post: { ...item.post, operationId: name, security: [] } };
    document.webhooks = { ...document.webhooks, [name]: webhook };
  }
  return document;
}

/** Lists the paths at which two JSON values differ, with both values. */
function differences(plain: unknown, ours: unknown, path = ""): [string, unknown[]][] {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(plain) || !isObject(ours)) {
    return JSON.stringify(plain) === JSON.stringify(ours) ? [] : [[path, [plain, ours]]];
  }
  const keys = new Set([...Object.keys(plain), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => differences(plain[key], ours[key], `${path}/${key}`));
}
