import { expect, test } from "vitest";
import { parse } from "yaml";
import { emit as emitProgram, SMALL } from "./library-tester.ts";

/** Tests the emitter on small contracts, because other projects can use it as a library. */

const emit = (source: string, files?: Record<string, string>) => emitProgram(SMALL + source, files);

const PING = `
@webhook("ping.sent") op ping(@header("event-type") type: "ping.sent", @body ping: Ping): void;
/** A ping. */ model Ping { at: string; }
`;

test("@webhook moves an operation from paths to webhooks", async () => {
  const { document, codes } = await emit(`${PING} @route("/pings") op list(): Ping[];`);
  expect(codes).toEqual([]);
  expect(Object.keys(document?.paths ?? {})).toEqual(["/pings"]);
  expect(document?.webhooks["ping.sent"]?.post).toMatchObject({
    operationId: "ping.sent",
    security: [],
    requestBody: {
      content: { "application/json": { schema: { $ref: "#/components/schemas/Ping" } } },
    },
  });
});

test("the document is OpenAPI 3.1 with the default schema dialect", async () => {
  const { document, outputs } = await emit(PING);
  expect(document?.openapi).toBe("3.1.0");
  // Swagger UI warns about any other dialect.
  expect(document).not.toHaveProperty("jsonSchemaDialect");
  expect(Object.keys(outputs).sort()).toEqual(["openapi.json", "openapi.yaml"]);
});

test("an operation has the operationId that @typespec/openapi3 gives it", async () => {
  const { document } = await emit(
    'interface Pings { @route("/pings") list(): void; @operationId("x") @route("/x") other(): void; }',
  );
  expect(document?.paths["/pings"]?.get?.operationId).toBe("Pings_list");
  expect(document?.paths["/x"]?.get?.operationId).toBe("x");
  expect(document).not.toHaveProperty("webhooks");
});

test("two webhooks with the same name are refused", async () => {
  const { codes, outputs } = await emit(`${PING}
    @webhook("ping.sent") op again(@body ping: Ping): void;`);
  expect(codes).toContain("@typespec/http/duplicate-operation");
  expect(outputs).toEqual({});
});

test.each(["get", "put", "patch", "delete", "head"])(
  "@%s before or after @webhook is refused",
  async (verb) => {
    for (const decorators of [`@${verb} @webhook("p")`, `@webhook("p") @${verb}`]) {
      const { codes, outputs } = await emit(`${decorators} op p(@header at: string): void;`);
      expect(codes).toEqual(["typespec-webhooks/webhook-verb"]);
      expect(outputs).toEqual({});
    }
  },
);

test("@post on a webhook changes nothing", async () => {
  for (const decorators of ['@post @webhook("p")', '@webhook("p") @post']) {
    const { codes, document } = await emit(`${decorators} op p(@body at: string): void;`);
    expect(codes).toEqual([]);
    expect(Object.keys(document?.webhooks["p"] ?? {})).toEqual(["post"]);
  }
});

test("requirements-file lists the ids of a catalogue at the root, in order", async () => {
  const catalogue = "requirements:\n  - {id: B-2, text: b}\n  - {id: A-1}\n";
  const { document, codes } = await emit(PING, { "requirements.yaml": catalogue });
  expect(codes).toEqual([]);
  expect((document as object as Record<string, unknown>)["x-requirements"]).toEqual(["B-2", "A-1"]);
  expect((await emit(PING)).document).not.toHaveProperty("x-requirements");
});

test.each(["", "requirements: none", "requirements: {"])(
  "a requirements-file that is not a catalogue is refused: %s",
  async (catalogue) => {
    const { codes, messages, outputs } = await emit(PING, { "requirements.yaml": catalogue });
    expect(codes).toEqual(["typespec-webhooks/requirements-unreadable"]);
    expect(messages[0]).toMatch(/^requirements.yaml: [^\n]+$/);
    expect(outputs).toEqual({});
  },
);

const TYPES = `
@format("uuid") scalar Id extends string;
union Colour { string, red: "red", green: "green" }
model Thing {
  @requirement("A-1", "A-2") plain: string | null;
  id: Id | null;
  other: Other | null;
  colour: Colour;
  maybe: Colour | null;
  inline: "a" | string;
  closed: "a" | "b";
  open: Record<unknown>;
}
model Other { x: string; }
@route("/things") op get(): Thing;
`;

test("nullable types become type lists, and named scalars keep constraints", async () => {
  const { document } = await emit(TYPES);
  const { plain, id, other } = document?.components.schemas.Thing?.properties ?? {};
  expect(plain).toEqual({ type: ["string", "null"], "x-requirements": ["A-1", "A-2"] });
  expect(id).toEqual({ type: ["string", "null"], format: "uuid" });
  expect(other?.anyOf).toEqual([{ $ref: "#/components/schemas/Other" }, { type: "null" }]);
});

test("open sets become x-extensible-enum, closed sets remain enums", async () => {
  const { document } = await emit(TYPES);
  const { Colour, Thing } = document?.components.schemas ?? {};
  const { maybe, inline, closed } = Thing?.properties ?? {};
  const shown = ["red", "green"];
  expect(Colour).toEqual({ type: "string", "x-extensible-enum": shown });
  expect(maybe).toEqual({ type: ["string", "null"], "x-extensible-enum": shown });
  expect(inline).toEqual({ type: "string", "x-extensible-enum": ["a"] });
  expect(closed).toEqual({ type: "string", enum: ["a", "b"] });
});

test("unused schemas are removed", async () => {
  const { document } = await emit(TYPES);
  expect(Object.keys(document?.components.schemas ?? {}).sort()).toEqual([
    "Colour",
    "Other",
    "Thing",
  ]);
});

test("Record<unknown> is an object with additional properties", async () => {
  const { document } = await emit(TYPES);
  const { open } = document?.components.schemas.Thing?.properties ?? {};
  expect(open).toEqual({ type: "object", additionalProperties: true });
});

test("a webhook of an operation template has the name that the template got", async () => {
  const { document, codes } = await emit(`
    @webhook(Name) @summary("\${Name}: \${What}") @requirement("W-1", "W-2")
    op Delivery<Name extends valueof string, What extends valueof string, Payload>(
      @header("event-type") type: typeof Name, @body payload: Payload): void;
    model Ping { at: string; }
    @route("/pings") interface Pings {
      @requirement("P-1") sent is Delivery<"ping.sent", "a ping was sent", Ping>;
      lost is Delivery<"ping.lost", "a ping was lost", Ping>;
    }`);
  expect(codes).toEqual([]);
  expect(document?.paths).toEqual({});
  const { "ping.sent": sent, "ping.lost": lost } = document?.webhooks ?? {};
  expect(sent?.post).toMatchObject({
    operationId: "ping.sent",
    summary: "ping.sent: a ping was sent",
  });
  expect(sent?.post?.["x-requirements"]).toEqual(["P-1", "W-1", "W-2"]);
  expect(lost?.post?.["x-requirements"]).toEqual(["W-1", "W-2"]);
  expect(lost?.post?.parameters?.[0]?.schema?.enum).toEqual(["ping.lost"]);
});

test("@requirement accumulates: own ids first, each id once", async () => {
  const { document } = await emit(`
    @requirement("A-3") @requirement("A-2", "A-1") model Base { @requirement("P-1") at: string; }
    @requirement("B-1", "A-1") model Derived is Base;
    model Spread { ...Base; }
    @route("/d") op derived(): Derived; @route("/s") op spread(): Spread;`);
  const { Derived, Spread } = document?.components.schemas ?? {};
  expect(Derived?.["x-requirements"]).toEqual(["B-1", "A-1", "A-3", "A-2"]);
  expect(Derived?.properties?.["at"]?.["x-requirements"]).toEqual(["P-1"]);
  expect(Spread?.["x-requirements"]).toBeUndefined();
  expect(Spread?.properties?.["at"]?.["x-requirements"]).toEqual(["P-1"]);
});

test("the requirements of an element are on one line of the YAML", async () => {
  const catalogue = "requirements: [{id: A-1}, {id: A-2}]";
  const { outputs } = await emit(TYPES, { "requirements.yaml": catalogue });
  const lines = (outputs["openapi.yaml"] ?? "").split("\n");
  expect(lines.filter((line) => line.includes("A-1"))).toEqual([
    "          x-requirements: [A-1, A-2]",
    "x-requirements: [A-1, A-2]",
  ]);
});

const LIFECYCLE = `
  model User {
    @visibility(Lifecycle.Read) id: string;
    @visibility(Lifecycle.Create) secret: string;
    name: string;
  }`;

test("a delivery has what its receiver can read, not what a caller sends", async () => {
  const { document } = await emit(`${LIFECYCLE}
    @webhook("user.created") op created(@body user: User): void;
    @route("/users") @post op create(@body user: User): User;`);
  const { User } = document?.components.schemas ?? {};
  expect(Object.keys(User?.properties ?? {})).toEqual(["id", "name"]);
  expect(document?.webhooks["user.created"]?.post).toMatchObject({
    requestBody: {
      content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } },
    },
  });
});

test("@parameterVisibility on a webhook overrides that", async () => {
  const { document } = await emit(`${LIFECYCLE}
    @webhook("a") @parameterVisibility(Lifecycle.Create) op a(@body user: User): void;
    @parameterVisibility(Lifecycle.Create) @webhook("b") op b(@body user: User): void;`);
  const { User } = document?.components.schemas ?? {};
  expect(Object.keys(User?.properties ?? {})).toEqual(["secret", "name"]);
});

test("a webhook has no security, although the service has", async () => {
  const { document } = await emitProgram(`
    @useAuth(BearerAuth) @service(#{ title: "Secured" }) namespace Secured;
    @webhook("a") op a(@body at: string): void; @route("/b") op b(): string;`);
  expect(document?.security).toEqual([{ BearerAuth: [] }]);
  expect(document?.webhooks["a"]?.post?.security).toEqual([]);
  expect(document?.paths["/b"]?.get?.security).toBeUndefined();
});

test("a webhook keeps its parameters and its own @useAuth", async () => {
  const { document } = await emit(`
    @useAuth(ApiKeyAuth<ApiKeyLocation.header, "x-key">)
    @webhook("ping") op ping(@query attempt: int32, @header("x-id") id: string, @body at: string): void;`);
  const ping = document?.webhooks["ping"]?.post;
  expect(ping?.parameters?.map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual([
    "query attempt",
    "header x-id",
  ]);
  expect(ping?.security).toEqual([{ ApiKeyAuth: [] }]);
});

const RESPONSES = `
  /** Not allowed. */ @error model Refused { @statusCode _: 403; @header("x-why") why?: string; }
  @error model Invalid { @statusCode _: 400; reason: string; }
  /** Gone. */ model Gone { @statusCode _: 204 | 202; }
  model Item { id: string; }
  @route("/a") op a(): Item | Refused | Invalid;
  @route("/b") op b(): Item | Refused | Invalid | { @statusCode _: 409; };
  @delete @route("/c") op c(): Gone;
  @webhook("d") op d(@body item: Item): Gone;`;

test("repeated errors and responses without a body are components", async () => {
  const { document, codes } = await emit(RESPONSES);
  expect(codes).toEqual([]);
  const responses = document?.components.responses ?? {};
  expect(Object.keys(responses).sort()).toEqual(["Gone", "Invalid", "Refused"]);
  expect(responses["Refused"]).toMatchObject({
    description: "Not allowed.",
    headers: { "x-why": { required: false } },
  });
  const refTo = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const { responses: ofB } = document?.paths["/b"]?.get ?? {};
  expect(ofB).toMatchObject({ 400: refTo("Invalid"), 403: refTo("Refused") });
  expect(ofB?.[200]?.content).toBeDefined();
  expect(ofB?.[409]).not.toHaveProperty("$ref");
  expect(document?.webhooks["d"]?.post?.responses).toEqual({
    202: refTo("Gone"),
    204: refTo("Gone"),
  });
});

test("a response of the same name that differs stays in its operation", async () => {
  const { document } = await emit(`${RESPONSES}
    namespace Other { /** Elsewhere. */ @error model Refused { @statusCode _: 403; } }
    @route("/e") op e(): Item | Other.Refused | Refused;`);
  const { responses } = document?.paths["/e"]?.get ?? {};
  expect(responses?.[403]?.description).toBe("Elsewhere.");
  expect(Object.keys(document?.components.responses ?? {})).toContain("Refused");
});

test("schemas stay that only a discriminator or an extension refers to", async () => {
  const { document } = await emit(`
    @discriminator("kind") model Pet { kind: string; }
    model Cat extends Pet { kind: "cat"; claws: Claws; }
    model Claws { sharp: boolean; }
    @extension("x-error", "#/components/schemas/Failure") @route("/pets") op get(): Pet;
    model Failure { reason: Reason; } model Reason { text: string; } model Unused { x: string; }`);
  expect(Object.keys(document?.components.schemas ?? {}).sort()).toEqual([
    ...["Cat", "Claws", "Failure", "Pet", "Reason"],
  ]);
});

test("a union of strings with other keywords is no open set", async () => {
  const { document } = await emit(`
    @format("uuid") scalar Id extends string;
    model Thing { either: string | "a" | Id; limited: Id | "a"; }
    @route("/t") op get(): Thing;`);
  const { either, limited } = document?.components.schemas["Thing"]?.properties ?? {};
  expect(either?.anyOf).toHaveLength(3);
  expect(limited?.anyOf).toHaveLength(2);
});

test("@openProperties opens the types of all properties but the guaranteed ones", async () => {
  const { document } = await emit(`
    scalar Id extends string; scalar Day extends string;
    model Shape { id: Id; day: Day; text: string; size: int32; any: unknown; }
    @openProperties(Id | Day) model Listed<T> { ...OptionalProperties<T>; }
    @openProperties(Id) model One { ...Shape; }
    model Some is Listed<Shape>;
    model Spread { own: string; ...Listed<Shape>; }
    @route("/s") op get(): Some; @route("/o") op one(): One; @route("/p") op plain(): Shape; @route("/c") op copy(): Spread;`);
  const { Some, One, Shape, Spread } = document?.components.schemas ?? {};
  const open = (schema: typeof Some) =>
    Object.entries(schema?.properties ?? {}).flatMap(([name, property]) =>
      property.type === undefined && property.$ref === undefined ? [name] : [],
    );
  expect(Some?.required).toBeUndefined();
  expect(Some?.properties?.["text"]).toEqual({
    description: "Usually a string.",
    "x-extensible-type": "string",
  });
  expect(open(Some)).toEqual(["text", "size", "any"]);
  expect(open(One)).toEqual(["day", "text", "size", "any"]);
  expect(open(Spread)).toEqual(["text", "size", "any"]);
  expect(open(Shape)).toEqual(["any"]);
});

const LINKED = `
model Link { href: string; }
model Order {
  @leadsTo("/orders/{id}") self: Link;
  /** Its lines. */ @requirement("A-1") @leadsTo("/lines/{id}") lines: Link[];
}
@route("/orders/{id}") @get op order(@path id: string): Order;
`;
const LINE = '@route("/lines/{id}") @get op line(@path id: string): Order;';

test("a link target is next to the $ref or on the array of links", async () => {
  const { document, codes } = await emit(LINKED + LINE);
  expect(codes).toEqual([]);
  const $ref = "#/components/schemas/Link";
  expect(document?.components.schemas.Order?.properties).toEqual({
    self: { $ref, "x-leads-to": "/orders/{id}" },
    lines: {
      type: "array",
      items: { $ref },
      description: "Its lines.",
      "x-requirements": ["A-1"],
      "x-leads-to": "/lines/{id}",
    },
  });
});

test.each([
  ["has no operation", ""],
  ["has no GET", LINE.replace("@get", "@put")],
  ["has other parameters", LINE.replaceAll("id", "lineId")],
])("a link to a path that %s is refused once, however often it is spread", async (_why, line) => {
  const { messages, outputs } = await emit(`${LINKED}${line}
    model Again { ...Order; }
    @route("/again") @get op again(): Again;`);
  expect(messages).toEqual(["No GET operation has the path /lines/{id}."]);
  expect(outputs).toEqual({});
});

test("the id of an event's resource and its order are in the document", async () => {
  const source = `${LINKED}${LINE}
    model Paid { @resourceId paymentId: string; order: Link; }
    @webhook("paid") @orderBy("/orders/{id}", "/order/href") op paid(@body paid: Paid): void;`;
  const { document, codes } = await emit(source);
  expect(codes).toEqual([]);
  const { Paid } = document?.components.schemas ?? {};
  expect(Paid?.properties?.["paymentId"]).toEqual({ type: "string", "x-resource-id": true });
  expect(document?.webhooks["paid"]?.post).toMatchObject({
    "x-order-by": { path: "/orders/{id}", id: "/order/href" },
  });
  const { messages } = await emit(source.replace('@orderBy("/orders', '@orderBy("/order'));
  expect(messages).toEqual(["No GET operation has the path /order/{id}."]);
});

const EXAMPLE = JSON.stringify({ summary: "One", value: { at: "noon" } });

test("a property may have the name of a keyword", async () => {
  const { document, codes } = await emit(`
    model Rule { anyOf: string; \`$ref\`: string; unevaluatedProperties: {}; properties: Inner; }
    model Inner { x: string | null; }
    @route("/rules") op get(): Rule;
  `);
  expect(codes).toEqual([]);
  const { Rule, Inner } = document?.components.schemas ?? {};
  expect(Object.keys(Rule?.properties ?? {})).toEqual([
    ...["anyOf", "$ref", "unevaluatedProperties", "properties"],
  ]);
  expect(Inner?.properties?.x).toEqual({ type: ["string", "null"] });
});

test("a file among the example folders is refused by name", async () => {
  const { messages, outputs } = await emit(PING, { "examples/notes.txt": "mine" });
  expect(messages).toEqual([expect.stringContaining("examples/notes.txt: not a folder")]);
  expect(outputs).toEqual({});
});

test("examples are added to the body of their webhook in name order", async () => {
  const { document } = await emit(PING, {
    "examples/ping.sent/b.json": EXAMPLE,
    "examples/ping.sent/a.json": EXAMPLE,
  });
  const media = document?.webhooks["ping.sent"]?.post?.requestBody?.content["application/json"];
  expect(Object.keys(media?.examples ?? {})).toEqual(["a", "b"]);
  expect(media?.examples?.a).toEqual(JSON.parse(EXAMPLE));
});

const ORDER =
  '@route("/orders/{id}") @get @operationId("getOrder") op get(@path id: string): Order;';
const orderAt = (href: string) =>
  JSON.stringify({ value: { id: "o-1", _links: { self: { href } } } });

test.each([
  ["/orders/o-1", "o-1"],
  ["/orders/o-1/lines", undefined],
  ["/lines/o-1", undefined],
])("a path parameter has the value that the first example's self link %s has", async (href, id) => {
  const { document, codes } = await emit(`model Order { id: string; } ${ORDER}`, {
    "examples/getOrder/a.json": orderAt(href),
    "examples/getOrder/b.json": orderAt("/orders/o-2"),
  });
  expect(codes).toEqual([]);
  expect(document?.paths["/orders/{id}"]?.get?.parameters?.[0]?.example).toBe(id);
});

test("strings that YAML 1.1 reads as timestamps or booleans are quoted", async () => {
  const value = { at: "2025-03-04T12:30:16.120Z", day: "2025-03-04", no: "no" };
  const { outputs } = await emit(PING, { "examples/ping.sent/a.json": JSON.stringify({ value }) });
  const yaml = outputs["openapi.yaml"] ?? "";
  for (const text of Object.values(value)) expect(yaml).toContain(`: "${text}"\n`);
  expect(parse(yaml, { version: "1.1" }).webhooks["ping.sent"].post.requestBody.content).toEqual(
    parse(yaml).webhooks["ping.sent"].post.requestBody.content,
  );
});

test("an enum of integers is an integer, an enum with a fraction a number", async () => {
  const { document } = await emit('model T { whole: 300; part: 0.5; } @route("/t") op get(): T;');
  const { whole, part } = document?.components.schemas.T?.properties ?? {};
  expect(whole).toEqual({ type: "integer", enum: [300] });
  expect(part).toEqual({ type: "number", enum: [0.5] });
});

test("examples without an operation or webhook are refused by folder name", async () => {
  const { messages, outputs } = await emit(PING, { "examples/pong.sent/a.json": EXAMPLE });
  expect(messages).toEqual(["pong.sent: no operation or webhook with a JSON body has this name."]);
  expect(outputs).toEqual({});
});

test.each([
  ["{", "Expected property name"],
  ["{}", "an example needs a member `value`"],
])("an example that is %j is refused by file name", async (text, reason) => {
  const { messages, outputs } = await emit(PING, { "examples/ping.sent/a.json": text });
  expect(messages).toEqual([expect.stringContaining("examples/ping.sent/a.json: ")]);
  expect(messages[0]).toContain(reason);
  expect(outputs).toEqual({});
});
