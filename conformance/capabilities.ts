import { DEFAULT_NETWORKS, type Networks } from "../src/contract/networks.ts";
import { type Driver, type Verb, verbs } from "./driver.ts";
import { driverHint, type Hint } from "./skip.ts";

/** `mock`: only what a stateless mock can honour. */
export type Profile = "full" | "mock";

/** Who the run authenticates as. */
export interface Credentials {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a run is about, and what it may use. */
export interface Target {
  /** The base address, with or without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly profile: Profile;
  /** The SDK credentials of the same account (AUTH-11). */
  readonly sdkCredentials?: Omit<Credentials, "accountId">;
  /** Credentials of another account, of which the first may see nothing (AUTH-12). */
  readonly secondAccount?: Credentials;
  /** The codes of the card networks; the interface's placeholders unless set. */
  readonly networks?: Networks;
  /** Whether the run may PATCH. */
  readonly writes?: boolean;
  /** A bank link that is not complete: nothing in the interface tells which is (EP-07). */
  readonly bankLinkId?: string;
  /**
   * Where the run receives deliveries. Unless set, none are received, but where the driver can
   * have them sent: then it is a free port of the loopback.
   */
  readonly webhooks?: {
    readonly host: string;
    readonly port: number;
    /**
     * The path below which deliveries are received, of at least 22 characters after the slash;
     * default: a random path for each run. Any other path is answered 404.
     */
    readonly path?: string;
    /** How long to receive at least, for what happens by itself; 0 unless set. */
    readonly collectSeconds?: number;
  };
  /** What makes things happen at the target. */
  readonly driver?: Driver;
}

/** What a run has at hand. Evidence keeps it, so that it is judged later by the same checks. */
export interface Capabilities {
  readonly profile: Profile;
  readonly networks: Networks;
  readonly sdkCredentials: boolean;
  readonly secondAccount: boolean;
  /** No client id and no secret was given twice, so what belongs to two clients can be crossed. */
  readonly credentialsDiffer?: true;
  readonly writes: boolean;
  readonly bankLinkId?: string;
  readonly deliveries: boolean;
  readonly verbs: readonly Verb[];
}

export function capabilitiesOf(target: Target): Capabilities {
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
  };
}

function doCredentialsDiffer({ credentials, sdkCredentials, secondAccount }: Target): boolean {
  const all = [credentials, sdkCredentials, secondAccount].filter((each) => each !== undefined);
  const ids = new Set(all.map(({ clientId }) => clientId));
  const secrets = new Set(all.map(({ clientSecret }) => clientSecret));
  const isOther = secondAccount?.accountId !== credentials.accountId;
  return ids.size === all.length && secrets.size === all.length && isOther;
}

/** What a check may need beyond a base URL and credentials. */
export type Capability =
  | "state"
  | "sdkCredentials"
  | "secondAccount"
  | "writes"
  | "bankLinkId"
  | "deliveries"
  | `verb:${Verb}`;

/** Why a check is skipped, and what would have it run. */
export interface MissingCapability {
  readonly reason: string;
  readonly hint: Hint;
}

/** Suggests that the run may send PATCH requests. */
export const WRITES_HINT: Hint = { flags: "give --writes", options: "give writes: true" };

const MISSING: Record<Exclude<Capability, `verb:${string}`>, MissingCapability> = {
  state: {
    reason:
      "needs a server that keeps state; a mock answers from fixed examples, whatever it is sent",
    hint: "run the full profile against a server",
  },
  sdkCredentials: {
    reason: "needs SDK credentials",
    hint: { flags: "give --sdk-client-id and --sdk-client-secret", options: "give sdkCredentials" },
  },
  secondAccount: {
    reason: "needs a second account",
    hint: {
      flags: "give --second-account ID:CLIENT_ID:CLIENT_SECRET, or set TXFEED_SECOND_ACCOUNT",
      options: "give secondAccount",
    },
  },
  writes: { reason: "changes the target", hint: WRITES_HINT },
  bankLinkId: {
    reason: "needs a bank link that is not complete",
    hint: { flags: "give --bank-link ID", options: "give bankLinkId" },
  },
  deliveries: {
    reason: "needs webhook deliveries",
    hint: {
      flags: "give --webhook-listen HOST:PORT, and have the target deliver there",
      options: "give webhooks, and have the target deliver there",
    },
  },
};

/** The first of some needs that a run lacks; undefined where it has them all. */
export function missingCapability(
  needs: readonly Capability[],
  means: Capabilities,
): MissingCapability | undefined {
  const missing = needs.find((need) => !hasCapability(need, means));
  if (missing === undefined) return undefined;
  if (!missing.startsWith("verb:")) return MISSING[missing as keyof typeof MISSING];
  const verb = missing.slice("verb:".length);
  return { reason: `needs the driver's verb ${verb}`, hint: driverHint(verb) };
}

function hasCapability(need: Capability, means: Capabilities): boolean {
  if (need === "state") return means.profile === "full";
  if (need === "bankLinkId") return means.bankLinkId !== undefined;
  if (need.startsWith("verb:")) return means.verbs.some((verb) => need === `verb:${verb}`);
  return means[need as "writes"];
}
