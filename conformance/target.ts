import { DEFAULT_NETWORKS, type Networks } from "../src/contract/networks.ts";
import { type Driver, type Verb, verbs } from "./driver.ts";
import { driverHint, type Hint } from "./skip.ts";
import type { ClientCertificate, GatewayHeader } from "./wire/gateway.ts";

/** `mock` runs only the checks that a stateless mock can pass. */
export type Profile = "full" | "mock";

/** The credentials that the run authenticates with. */
export interface Credentials {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The target of a run, and what the run may use. */
export interface Target {
  /** The base URL, with or without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly profile: Profile;
  /** The SDK credentials of the same account (AUTH-11). */
  readonly sdkCredentials?: Omit<Credentials, "accountId">;
  /** Credentials of another account, whose data the first must not see (AUTH-12). */
  readonly secondAccount?: Credentials;
  /** The codes of the card networks; default: the placeholders of the interface. */
  readonly networks?: Networks;
  /** Whether the run may send PATCH requests. */
  readonly writes?: boolean;
  /** The id of an incomplete bank link: the interface does not show which are (EP-07). */
  readonly bankLinkId?: string;
  /**
   * The address at which the run receives deliveries. Default: a free port on the loopback if the
   * driver can subscribe, otherwise none.
   */
  readonly webhooks?: {
    readonly host: string;
    readonly port: number;
    /**
     * The path below which deliveries are received, of at least 22 characters after the slash;
     * default: a random path for each run. Requests to any other path get 404.
     */
    readonly path?: string;
    /** The minimum time to collect deliveries, in seconds; default: 0. */
    readonly collectSeconds?: number;
  };
  /** Triggers events at the target. */
  readonly driver?: Driver;
  /**
   * Headers of every request, such as a gateway's API key. A value such as `$GATEWAY_KEY` or `Basic
   * $GATEWAY_KEY` is read from the environment. Evidence and reports show the variable.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** The client certificate that the target's TLS requires. It needs the package undici. */
  readonly clientCertificate?: ClientCertificate;
  /**
   * The maximum number of requests in a second; default: as many as the target accepts. A run slows
   * down by itself if the target responds with 429, or with 503 and `Retry-After`.
   */
  readonly rate?: number;
}

/** The capabilities of a run; recorded in the evidence so that a replay selects the same checks. */
export interface Capabilities {
  readonly profile: Profile;
  readonly networks: Networks;
  readonly sdkCredentials: boolean;
  readonly secondAccount: boolean;
  /** Set if no client id or secret occurs twice, so that checks can mix those of two clients. */
  readonly credentialsDiffer?: true;
  readonly writes: boolean;
  readonly bankLinkId?: string;
  readonly deliveries: boolean;
  readonly verbs: readonly Verb[];
  /** The headers of every request, with variables as values. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function capabilitiesOf(
  target: Target,
  headers: readonly GatewayHeader[] = [],
): Capabilities {
  const { driver = {}, bankLinkId, networks = DEFAULT_NETWORKS } = target;
  return {
    profile: target.profile,
    networks,
    sdkCredentials: target.sdkCredentials !== undefined,
    secondAccount: target.secondAccount !== undefined,
    ...(doCredentialsDiffer(target) && { credentialsDiffer: true as const }),
    writes: target.writes === true,
    ...(bankLinkId !== undefined && { bankLinkId }),
    deliveries: target.webhooks !== undefined || driver.subscribe !== undefined,
    verbs: verbs.filter((verb) => typeof driver[verb] === "function"),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(({ name, shown }) => [name, shown])),
    }),
  };
}

function doCredentialsDiffer({ credentials, sdkCredentials, secondAccount }: Target): boolean {
  const all = [credentials, sdkCredentials, secondAccount].filter((each) => each !== undefined);
  const ids = new Set(all.map(({ clientId }) => clientId));
  const secrets = new Set(all.map(({ clientSecret }) => clientSecret));
  const isOther = secondAccount?.accountId !== credentials.accountId;
  return ids.size === all.length && secrets.size === all.length && isOther;
}

/** A capability that a check may require besides a base URL and credentials. */
export type Capability =
  | "state"
  | "sdkCredentials"
  | "secondAccount"
  | "writes"
  | "incompleteLink"
  | "deliveries"
  | `verb:${Verb}`;

/** Why a check is skipped, and what would let it run. */
interface MissingCapability {
  readonly reason: string;
  readonly hint: Hint;
}

/** Suggests that the run may send PATCH requests. */
export const WRITES_HINT: Hint = { flags: "give --writes", options: "give writes: true" };

const MISSING: Record<Exclude<Capability, `verb:${string}`>, MissingCapability> = {
  state: {
    reason: "requires a server with state; a mock responds with fixed examples",
    hint: "run the full profile against a server",
  },
  sdkCredentials: {
    reason: "requires SDK credentials",
    hint: { flags: "give --sdk-client-id and --sdk-client-secret", options: "give sdkCredentials" },
  },
  secondAccount: {
    reason: "requires a second account",
    hint: {
      flags: "give --second-account ID:CLIENT_ID:CLIENT_SECRET, or set TXFEED_SECOND_ACCOUNT",
      options: "give secondAccount",
    },
  },
  writes: { reason: "changes the target", hint: WRITES_HINT },
  incompleteLink: {
    reason: "requires an incomplete bank link",
    hint: {
      flags: "give --bank-link ID, or --driver MODULE with the verb startLink",
      options: "give bankLinkId, or a driver with the verb startLink",
    },
  },
  deliveries: {
    reason: "requires webhook deliveries",
    hint: {
      flags: "give --webhook-listen HOST:PORT, and have the target deliver there",
      options: "give webhooks, and have the target deliver there",
    },
  },
};

/** Returns the required capabilities that a run does not have. */
export function missingCapabilities(
  requires: readonly Capability[],
  capabilities: Capabilities,
): Capability[] {
  return requires.filter((capability) => !hasCapability(capability, capabilities));
}

/** Describes the first required capability that a run does not have; undefined if it has all. */
export function missingCapability(
  requires: readonly Capability[],
  capabilities: Capabilities,
): MissingCapability | undefined {
  const [missing] = missingCapabilities(requires, capabilities);
  if (missing === undefined) return undefined;
  if (!missing.startsWith("verb:")) return MISSING[missing as keyof typeof MISSING];
  const verb = missing.slice("verb:".length);
  return { reason: `requires the driver's verb ${verb}`, hint: driverHint(verb) };
}

function hasCapability(need: Capability, capabilities: Capabilities): boolean {
  if (need === "state") return capabilities.profile === "full";
  if (need === "incompleteLink") {
    return capabilities.bankLinkId !== undefined || capabilities.verbs.includes("startLink");
  }
  if (need.startsWith("verb:")) return capabilities.verbs.some((verb) => need === `verb:${verb}`);
  return capabilities[need as "writes"];
}
