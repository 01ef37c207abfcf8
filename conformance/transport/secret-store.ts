import type { Credentials, Target } from "../capabilities.ts";
import { Skip } from "../skip.ts";
import { lettersOf, placeholderOf } from "./jwt.ts";
import { redactionScope } from "./redaction-scope.ts";
import { Redactor } from "./redactor.ts";
import { tamperedCredential } from "./tampered-credential.ts";
import { type TamperedToken, tamperToken } from "./tampered-tokens.ts";

/**
 * What stands for a secret wherever the run writes, shows or compares: the name of a shell
 * variable, so that a curl line works where it is set.
 */
export type Variable = `$TXFEED_${string}`;

/** Who exchanges credentials for a token, and what is wrong with them on purpose. */
export interface TokenRequestOptions {
  /** The run's own account unless set. */
  readonly identity?: "own" | "sdk" | "second";
  /** Fields of the form, in place of the right ones or beside them; undefined leaves one out. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  /** In place of the right account in the address. */
  readonly accountId?: string;
  /** What the token is sent by later on; it is forgotten where this is not set. */
  readonly keepAs?: Variable;
}

const FORM = "application/x-www-form-urlencoded";

const PREFIX = { own: "$TXFEED_", sdk: "$TXFEED_SDK_", second: "$TXFEED_SECOND_" } as const;

/** The token request of somebody, with variables in place of secrets. */
export function tokenRequest({ identity = "own", form = {}, accountId }: TokenRequestOptions) {
  const prefix = PREFIX[identity];
  const account = accountId ?? `${identity === "sdk" ? PREFIX.own : prefix}ACCOUNT_ID`;
  const fields = {
    client_id: `${prefix}CLIENT_ID`,
    client_secret: `${prefix}CLIENT_SECRET`,
    grant_type: "client_credentials",
    ...form,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const encode = (text = "") => (isVariable(text) ? text : encodeURIComponent(text));
  return {
    method: "POST",
    path: `/auth/realms/${encode(account)}/protocol/openid-connect/token`,
    headers: { accept: "application/json", "content-type": FORM },
    body: given.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&"),
  };
}

function isVariable(text: string): text is Variable {
  return /^\$TXFEED_[A-Z_]+$/.test(text);
}

const VARIABLES = /\$TXFEED_[A-Z_]+/g;

/** A target may write an id in a million ways. */
const MAX_FORMS = 1_000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where a token stands in JSON, be it in JSON that stands in a text of JSON. */
const TOKENS = /((?:access|refresh|id)_token\\*"\s*:\s*)(?:"((?:[^"\\]|\\.)*)|(\\+")([^"\\]*))/g;

/** Where secrets stand that the run does not know. */
const PLACES: readonly [place: RegExp, instead: string][] = [
  [/\b((?:Bearer|Basic) +)(?!\$TXFEED_)[\w.~+/-]{8,}=*/gi, "$1$$TXFEED_TOKEN"],
  [/\b(client_secret=)(?!\$TXFEED_)[^&\s"\\]+/g, "$1$$TXFEED_CLIENT_SECRET"],
  [/(client_secret\\*"\s*:\s*\\*")(?!\$TXFEED_)(?:[^"\\]|\\[^"])+/g, "$1$$TXFEED_CLIENT_SECRET"],
];

/**
 * Knows the secrets of a run. Nothing else does: a request is put together with variables, which
 * are filled in as it goes out, and an answer has them in place of secrets before anybody sees it.
 * What stands in for one has its shape, so that what is true of the one is true of the other.
 */
export class SecretStore {
  readonly #values = new Map<Variable, string>();
  readonly #masks = new Redactor();
  /** What stands for ids and for their encodings, which can be sent back. */
  readonly #ids: { readonly id: string; readonly instead: string; readonly isRaw?: true }[] = [];
  /** What stands for tokens, and for what is in their place. */
  readonly #tokens = new Map<string, string>();

  readonly #nearMisses = new Set<Variable>();
  /** Forged tokens, each with the good one that it is made of. */
  readonly #forgeries = new Map<Variable, { readonly token: string; readonly forged: string }>();

  constructor({ credentials, sdkCredentials, secondAccount }: Target) {
    this.#addCredentials(PREFIX.own, credentials);
    if (sdkCredentials) this.#addCredentials(PREFIX.sdk, sdkCredentials);
    if (secondAccount) this.#addCredentials(PREFIX.second, secondAccount);
  }

  #addCredentials(prefix: string, credentials: Partial<Credentials>): void {
    const { accountId, clientId, clientSecret } = credentials;
    if (accountId !== undefined) this.#addId(`${prefix}ACCOUNT_ID` as Variable, accountId);
    if (clientId !== undefined) this.#addId(`${prefix}CLIENT_ID` as Variable, clientId);
    if (clientSecret === undefined) return;
    const variable = `${prefix}CLIENT_SECRET` as Variable;
    this.#values.set(variable, clientSecret);
    const zeros = "0".repeat(clientSecret.length);
    this.#masks.addSecret(clientSecret, isNumber(clientSecret) ? zeros : variable);
    // A secret may be too short to be found; what is sent with it by Basic is not.
    const pair = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    this.#masks.addToken(pair, variable);
  }

  #addId(variable: Variable, id: string): void {
    this.#values.set(variable, id);
    if (redactionScope(id) === "nowhere") return;
    const nr = String(this.#ids.length + 1);
    const uuid = `acc00000-0000-4000-8000-${nr.padStart(12, "0")}`;
    const number = `9${nr.padStart(id.length - 1, "0")}`;
    const instead = UUID.test(id) ? uuid : isNumber(id) ? number : variable;
    this.#ids.push({ id, instead });
    this.#masks.addId(id, instead, (found) => this.#formOf(id, found) ?? instead);
  }

  /** What stands for an encoding of an id; undefined for the id itself. */
  #formOf(id: string, found: string): string | undefined {
    if (found.toLowerCase() === id.toLowerCase()) return undefined;
    const known = this.#ids.find((one) => one.id === found);
    if (known || this.#ids.length > MAX_FORMS) return known?.instead;
    const instead = `$TXFEED_FORM_${lettersOf(this.#ids.length)}_`;
    this.#ids.push({ id: found, instead, isRaw: true });
    return instead;
  }

  /** Remembers a token, to be sent by its variable and replaced wherever it stands. */
  addToken(token: string, variable: Variable): void {
    if (token === "") return;
    this.#values.set(variable, token);
    this.#placeholderFor(token);
  }

  /** Where the run receives deliveries. Who knows the path can send some as the target. */
  addReceiver(url: string): void {
    this.#values.set("$TXFEED_RECEIVER", url);
    this.#masks.addSecret(new URL(url).pathname.slice(1), "$TXFEED_RECEIVER_PATH");
  }

  #placeholderFor(token: string): string {
    const known = this.#tokens.get(token);
    if (known !== undefined) return known;
    const instead = placeholderOf(token, this.#tokens.size + 1);
    this.#tokens.set(token, instead);
    // It stands for itself, where a text is cleaned again.
    this.#tokens.set(instead, instead);
    this.#masks.addToken(token, instead);
    return instead;
  }

  /**
   * What a text with variables is sent as.
   *
   * @param encode How a value is written there.
   * @throws Unseen where the run has no such value.
   */
  fillIn(text: string, encode: (value: string) => string = (value) => value): string {
    return text.replace(VARIABLES, (variable) => encode(this.#valueOf(variable as Variable)));
  }

  #valueOf(variable: Variable): string {
    const known = this.#values.get(variable);
    if (known !== undefined) return known;
    const nearMiss = tamperedCredential(variable, (of) => this.#values.get(of as Variable));
    if (nearMiss !== undefined) {
      this.#addNearMiss(nearMiss, variable);
      return nearMiss;
    }
    // A forged token is made of the run's own as it is now, such as $TXFEED_TOKEN_UNSIGNED.
    const forged = this.#forged(variable, this.#values.get("$TXFEED_TOKEN"));
    if (forged === undefined) throw new Skip(`the run has no value for ${variable}`);
    return forged;
  }

  /** What is almost a secret is one. What is almost an id stands for itself, as no part of it. */
  #addNearMiss(nearMiss: string, variable: Variable): void {
    if (this.#nearMisses.has(variable)) return;
    this.#nearMisses.add(variable);
    if (variable.includes("SECRET")) this.#masks.addSecret(nearMiss, variable);
    else this.#masks.addId(nearMiss, variable, () => variable);
  }

  #forged(variable: Variable, token: string | undefined): string | undefined {
    const before = this.#forgeries.get(variable);
    if (token === undefined || before?.token === token) return before?.forged;
    const forgery = variable.slice("$TXFEED_TOKEN_".length).toLowerCase() as TamperedToken;
    const forged = tamperToken(token, forgery);
    if (forged === undefined) return undefined;
    this.#forgeries.set(variable, { token, forged });
    this.#masks.addToken(forged, variable);
    return forged;
  }

  /** An address or a JSON as it is sent: an id is what it is again. */
  restoreIds(text: string, encode: (value: string) => string = inJson): string {
    return this.#ids.reduce(
      (rest, { id, instead, isRaw }) => rest.replaceAll(instead, () => (isRaw ? id : encode(id))),
      text,
    );
  }

  /** A text with no secret in it. */
  redact(text: string): string {
    const clean = this.#masks.redact(this.#dropTokens(text));
    return PLACES.reduce((rest, [place, instead]) => rest.replace(place, instead), clean);
  }

  /** Replaces what stands in the place of a token, be it one that nobody knew. */
  #dropTokens(text: string): string {
    if (!text.includes("_token")) return text;
    return text.replace(
      TOKENS,
      (_, head: string, plain: string | undefined, inner: string, nested: string) => {
        if (plain === undefined) return `${head}${inner}${nested && this.#placeholderFor(nested)}`;
        return `${head}"${plain && this.#placeholderFor(unescaped(plain))}`;
      },
    );
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A text of JSON as it reads. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** What stands for a number in a text is one, as a code may have to be. */
function isNumber(value: string): boolean {
  return /^\d+$/.test(value);
}
