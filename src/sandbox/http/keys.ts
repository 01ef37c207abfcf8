import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { Engine } from "../engine.ts";
import type { SqliteStore } from "../store/store.ts";

/** The keys of the sandbox. They are random, not seeded, so that they are secret. */
export interface Keys {
  /** Signs access tokens (ES256). */
  readonly signing: KeyObject;
  readonly verifying: KeyObject;
  /** The public key, as in the JWKS. */
  readonly published: JsonWebKey & { readonly kid: string };
  /** Seals cursors. */
  readonly cursors: Buffer;
}

const META = "http-keys";

const cache = new WeakMap<Engine, Keys>();

/** The keys of a sandbox, which are created with its database and stored there. */
export function keysOf(engine: Engine): Keys {
  const known = cache.get(engine);
  if (known) return known;
  const keys = readKeys(engine.store.meta(META) ?? makeKeys(engine.store));
  cache.set(engine, keys);
  return keys;
}

function makeKeys(store: SqliteStore): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signing = privateKey.export({ format: "jwk" });
  const stored = JSON.stringify({ signing, cursors: randomBytes(32).toString("base64url") });
  store.setMeta(META, stored);
  return stored;
}

function readKeys(stored: string): Keys {
  const { signing: jwk, cursors } = JSON.parse(stored) as { signing: JsonWebKey; cursors: string };
  const signing = createPrivateKey({ key: jwk, format: "jwk" });
  const { crv, kty, x, y } = jwk;
  // RFC 7638: the thumbprint of the required members, in alphabetical order.
  const kid = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
  return {
    signing,
    verifying: createPublicKey(signing),
    published: { kty, crv, x, y, kid, alg: "ES256", use: "sig" } as Keys["published"],
    cursors: Buffer.from(cursors, "base64url"),
  };
}
