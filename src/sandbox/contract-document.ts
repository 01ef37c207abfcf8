import { readFileSync } from "node:fs";
import type { EventName } from "../../generated/events.ts";
import type { OperationKey } from "../../generated/operations.ts";
import type { ResourceName } from "../../generated/resources.ts";

/** The generated files. The path is the same in the build, which bundles into this folder. */
const GENERATED = new URL("../../generated/", import.meta.url);

/** The parts of the contract's OpenAPI document that are read or replaced. */
interface ContractDocument {
  readonly servers: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<EventName, { readonly post: Webhook }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Webhook {
  readonly "x-requirements": readonly string[];
}

interface SecurityScheme {
  readonly flows?: { readonly clientCredentials?: object };
}

/** The address of a sandbox, and the account of its token URL. */
export interface Place {
  /** For example `http://127.0.0.1:4020`. */
  readonly origin: string;
  readonly accountId: string;
}

let document: ContractDocument | undefined;

function contractDocument(): ContractDocument {
  document ??= JSON.parse(textOf("openapi.json")) as ContractDocument;
  return document;
}

function textOf(name: "openapi.json" | "openapi.yaml" | "state-diagrams.json") {
  return readFileSync(new URL(name, GENERATED), "utf8");
}

/** The state diagram of each resource that has one, as SVG, by the resource's name. */
export function stateDiagrams(): Readonly<Partial<Record<ResourceName, string>>> {
  return JSON.parse(textOf("state-diagrams.json"));
}

/** The requirements that an event implements. */
export function requirementsOf(event: EventName): readonly string[] {
  return contractDocument().webhooks[event].post["x-requirements"];
}

/** Whether the contract declares a status of an operation: itself, as `4XX`, or by `default`. */
export function declaresStatus(key: OperationKey, status: number): boolean {
  const [method = "", path = ""] = key.split(" ");
  const { responses = {} } = contractDocument().paths[path]?.[method.toLowerCase()] ?? {};
  return isDeclared(responses, status);
}

/** Whether an operation's `responses` have a status, as OpenAPI looks it up. */
export function isDeclared(responses: object, status: number): boolean {
  const names = [String(status), `${String(status)[0]}XX`, "default"];
  return names.some((name) => Object.hasOwn(responses, name));
}

/** The contract's document as JSON, with the real server and token URL. */
export function jsonDocument(place: Place): string {
  const contract = contractDocument();
  const { components } = contract;
  const schemes = Object.entries(components.securitySchemes).map(([name, scheme]) => {
    const { clientCredentials } = scheme.flows ?? {};
    if (!clientCredentials) return [name, scheme];
    const flow = { ...clientCredentials, tokenUrl: tokenUrlOf(place) };
    return [name, { ...scheme, flows: { ...scheme.flows, clientCredentials: flow } }];
  });
  const securitySchemes = Object.fromEntries(schemes);
  const adapted = { servers: serversOf(place), components: { ...components, securitySchemes } };
  return JSON.stringify({ ...contract, ...adapted });
}

/** The same as YAML: the generated text, with servers and token URL replaced. */
export function yamlDocument(place: Place): string {
  // JSON is YAML, too.
  return textOf("openapi.yaml")
    .replace(/^servers:\n(?:[ -].*\n)*/m, () => `servers: ${JSON.stringify(serversOf(place))}\n`)
    .replace(/^( *tokenUrl: ).*$/m, (_, start) => start + JSON.stringify(tokenUrlOf(place)));
}

function serversOf({ origin }: Place) {
  return [{ url: origin, description: "This sandbox" }];
}

function tokenUrlOf({ origin, accountId }: Place): string {
  return `${origin}/auth/realms/${accountId}/protocol/openid-connect/token`;
}
