import type { RequestListener } from "node:http";
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { Webhook } from "standardwebhooks";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../../src/webhooks/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { schemas } from "../schemas.ts";
import { ajv } from "../validation/libraries/ajv.ts";
import { EVENT, SECRET, type Signature } from "./delivery.ts";

interface Server {
  readonly title: string;
  readonly signature: Signature;
  /** Creates the server. It may create a database in the file. */
  readonly create: (file: string) => RequestListener | Promise<RequestListener>;
}

const on = { [EVENT]: () => {} };
const verify = standardWebhooks({ secrets: SECRET.toString("base64") });

/** Stores a delivery durably; throws if it can't. */
type Store = (id: unknown, body: unknown) => void;

/** Inserts each delivery in a transaction of its own, which SQLite flushes to the disk. */
function insertInto(file: string): Store {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE delivery (id TEXT PRIMARY KEY, event TEXT, body TEXT, received_at TEXT) STRICT",
  );
  const insert = database.prepare(
    "INSERT INTO delivery VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  return (id, body) => {
    insert.run(id as string, EVENT, JSON.stringify(body), new Date().toISOString());
  };
}

async function octokit(store?: Store): Promise<RequestListener> {
  // The benchmark imports this file before it installs its packages.
  const { createNodeMiddleware, Webhooks } = await import("@octokit/webhooks");
  const checks = await ajv.setUp(schemas);
  const webhooks = new Webhooks({ secret: SECRET.toString() });
  webhooks.onAny(({ id, payload }) => {
    if (checks[EVENT](payload) > 0) throw new Error("the body breaks the contract");
    store?.(id, payload);
  });
  return createNodeMiddleware(webhooks, { path: "/webhooks" });
}

async function expressApp(store?: Store): Promise<RequestListener> {
  const checks = await ajv.setUp(schemas);
  const webhook = new Webhook(SECRET.toString("base64"));
  const app = express();
  app.post("/webhooks", express.raw({ type: "application/json" }), (request, response) => {
    const body = webhook.verify(request.body, request.headers as Record<string, string>);
    if (checks[EVENT](body) > 0) throw new Error("the body breaks the contract");
    store?.(request.headers["webhook-id"], body);
    response.sendStatus(204);
  });
  return app;
}

/** Reads and parses the body, as any server must. */
const bare: RequestListener = (request, response) => {
  const chunks: Uint8Array[] = [];
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.writeHead(typeof body === "object" ? 204 : 400).end();
  });
};

/** The measured servers. */
export const servers = {
  bare: {
    title: "node:http, reads and parses",
    signature: "none",
    create: () => bare,
  },
  unverified: {
    title: "txfeed, validates",
    signature: "none",
    create: () => toNodeHandler(createReceiver({ on })),
  },
  verified: {
    title: "txfeed, verifies and validates",
    signature: "standard-webhooks",
    create: () => toNodeHandler(createReceiver({ on, verify })),
  },
  octokit: {
    title: "octokit/webhooks and AJV, the same",
    signature: "github",
    create: () => octokit(),
  },
  express: {
    title: "Express, standardwebhooks and AJV, the same",
    signature: "standard-webhooks",
    create: () => expressApp(),
  },
  stored: {
    title: "txfeed, stores in SQLite",
    signature: "standard-webhooks",
    create: (file) => {
      const inbox = sqliteInbox({ path: file });
      return toNodeHandler(createReceiver({ on, verify, inbox }));
    },
  },
  octokitStored: {
    title: "octokit/webhooks, AJV and an INSERT",
    signature: "github",
    create: (file) => octokit(insertInto(file)),
  },
  expressStored: {
    title: "Express, standardwebhooks, AJV and an INSERT",
    signature: "standard-webhooks",
    create: (file) => expressApp(insertInto(file)),
  },
} as const satisfies Record<string, Server>;

export type ServerName = keyof typeof servers;
