import type { Credentials, Target } from "../means.ts";
import { Unseen } from "../unseen.ts";
import { type Forgery, forge } from "./forgeries.ts";
import { placeholderOf } from "./jwt.ts";

/**
 * What stands for a secret wherever the run writes, shows or compares: the name of a shell
 * variable, so that a curl line works where it is set.
 */
export type Variable = `$TXFEED_${string}`;

/** Who exchanges credentials for a token, and what is wrong with them on purpose. */
export interface WhoAsks {
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
export function tokenRequest({ identity = "own", form = {}, accountId }: WhoAsks) {
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

/** Shorter values stand in too many innocent words to be looked for in free text. */
const SHORTEST_SEARCHED = 6;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where secrets stand that the run does not know. */
const PLACES: readonly [place: RegExp, instead: string][] = [
  [/\b((?:Bearer|Basic) )[^\s"$\\]+/gi, "$1$$TXFEED_TOKEN"],
  [/\b(client_secret=)[^&\s"$]+/g, "$1$$TXFEED_CLIENT_SECRET"],
  [/(\\?"(?:client_secret|refresh_token)\\?"\s*:\s*\\?")[^"\\$]+/g, "$1$$TXFEED_DROPPED"],
];

/**
 * Knows the secrets of a run. Nothing else does: a request is put together with variables, which
 * are filled in as it goes out, and an answer has them in place of secrets before anybody sees it.
 * What stands in for one has its shape, so that what is true of the one is true of the other.
 */
export class Vault {
  readonly #values = new Map<Variable, string>();
  /** What is looked for in texts, and what stands there instead. */
  readonly #stand = new Map<string, string>();
  /** Ids, which are looked for as whole words, and can be sent back. */
  readonly #ids: { readonly id: string; readonly instead: string }[] = [];
  #tokens = 0;

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
    this.#replace(clientSecret, variable);
  }

  #addId(variable: Variable, id: string): void {
    this.#values.set(variable, id);
    if (id.length < SHORTEST_SEARCHED) return;
    const nr = String(this.#ids.length + 1).padStart(12, "0");
    this.#ids.push({ id, instead: UUID.test(id) ? `acc00000-0000-4000-8000-${nr}` : variable });
  }

  /** Has a secret replaced, in each form that it may be sent or echoed in. */
  #replace(secret: string, instead: string): void {
    if (secret.length < SHORTEST_SEARCHED) return;
    const inForm = new URLSearchParams({ s: secret }).toString().slice("s=".length);
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, encodeURIComponent(secret), inForm, inJson]) {
      this.#stand.set(form, instead);
    }
  }

  /** Remembers a token, to be sent by its variable and replaced wherever it stands. */
  addToken(token: string, variable: Variable | undefined): void {
    if (token === "") return;
    this.#tokens += 1;
    if (variable !== undefined) this.#values.set(variable, token);
    this.#replace(token, placeholderOf(token, this.#tokens));
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
    // A forged token is made of the run's own, such as $TXFEED_TOKEN_UNSIGNED.
    const token = this.#values.get("$TXFEED_TOKEN");
    const forgery = variable.slice("$TXFEED_TOKEN_".length).toLowerCase() as Forgery;
    const forged = token === undefined ? undefined : forge(token, forgery);
    if (forged === undefined) throw new Unseen(`there is no ${variable} to send`);
    this.#values.set(variable, forged);
    this.#replace(forged, variable);
    return forged;
  }

  /** An address as it is sent: an account's id is what it is again. */
  reveal(url: string): string {
    return this.#ids.reduce(
      (text, { id, instead }) =>
        instead.startsWith("$") ? text : text.replaceAll(instead, encodeURIComponent(id)),
      url,
    );
  }

  /** A text with no secret in it. */
  drop(text: string): string {
    // The longest first: one may start with another.
    const known = [...this.#stand].sort(([a], [b]) => b.length - a.length);
    const clean = known.reduce((rest, [form, instead]) => rest.replaceAll(form, instead), text);
    const unnamed = this.#ids.reduce(
      (rest, { id, instead }) => rest.replace(asWord(id), () => instead),
      clean,
    );
    return PLACES.reduce((rest, [place, instead]) => rest.replace(place, instead), unnamed);
  }
}

/** Finds an id that is no part of a longer word, in whatever case. */
function asWord(id: string): RegExp {
  return new RegExp(`(?<![\\w])${escaped(id)}(?![\\w])`, "gi");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
