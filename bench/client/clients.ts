import type { paths } from "../../generated/types.ts";
import {
  createFeedClient,
  type FeedClientOptions,
  type Transport,
  type ValidationMode,
} from "../../src/client/index.ts";
import { ACCESS_TOKEN } from "./responses.ts";

/** Gets a transaction: sends the access token, and parses the answer. */
export type GetTransaction = (id: string) => Promise<unknown>;

/** Gets a client ready, the way that its docs say, for calls to one service. */
export type CreateGet = (origin: string) => Promise<GetTransaction>;

const authorization = `Bearer ${ACCESS_TOKEN}`;
const headers = { authorization };

/** The options of our client for the service of the bench; all else is as it comes. */
export function feedOptions(origin: string): FeedClientOptions {
  const [accountId, clientId, clientSecret] = ["account", "client", "secret"];
  return { baseUrl: origin, accountId, clientId, clientSecret };
}

function ours(validate: ValidationMode, transport?: () => Promise<Transport>): CreateGet {
  return async (origin) => {
    const own = transport ? { transport: await transport() } : {};
    const feed = createFeedClient({ ...feedOptions(origin), validate, ...own });
    return (id) => feed.transactions.get(id);
  };
}

/** By feed.GET, which is openapi-fetch on feed.fetch. */
const byPath: CreateGet = async (origin) => {
  const feed = createFeedClient(feedOptions(origin));
  return async (transactionId) => {
    const params = { path: { transactionId } };
    const { data } = await feed.GET("/transactions/{transactionId}", { params });
    return data;
  };
};

async function onUndici(): Promise<Transport> {
  const load = () => import("../../src/client/undici/index.ts");
  return (await besideFetch(load)).undiciTransport();
}

/**
 * Imports what imports undici, which puts the package's agent under Node's `fetch` where that has
 * none yet: the clients on `fetch` are to have what they have in a program without undici.
 */
async function besideFetch<Module>(load: () => Promise<Module>): Promise<Module> {
  await fetch("data:,");
  return load();
}

/** What the others are measured by. */
export const BASELINES = { fetch: "openapi-fetch", undici: "undici.request" } as const;

/** Ours, with all on that a client comes with, and answers held to the contract. */
export const TXFEED = {
  fetch: "txfeed, validating",
  byPath: "txfeed, feed.GET",
  undici: "txfeed on undici, validating",
} as const;

/** Who gets transactions, by the name in the report. */
export const clients: Readonly<Record<string, CreateGet>> = {
  fetch: async (origin) => async (id) => {
    const response = await fetch(`${origin}/transactions/${id}`, { headers });
    return response.json();
  },
  [BASELINES.undici]: async (origin) => {
    const { Agent, request } = await besideFetch(() => import("undici"));
    // The agent that it has where it is the first to set the one of the process.
    const dispatcher = new Agent();
    return async (id) => {
      const { body } = await request(`${origin}/transactions/${id}`, { headers, dispatcher });
      return body.json();
    };
  },
  [BASELINES.fetch]: async (origin) => {
    const { default: createClient } = await import("openapi-fetch");
    const client = createClient<paths>({ baseUrl: origin, headers });
    return async (transactionId) => {
      const params = { path: { transactionId } };
      const { data } = await client.GET("/transactions/{transactionId}", { params });
      return data;
    };
  },
  ky: async (origin) => {
    const { default: ky } = await import("ky");
    const client = ky.create({ baseUrl: origin, headers });
    return (id) => client.get(`transactions/${id}`).json();
  },
  axios: async (origin) => {
    const { default: axios } = await import("axios");
    const client = axios.create({ baseURL: origin, headers });
    return async (id) => (await client.get(`/transactions/${id}`)).data;
  },
  ofetch: async (origin) => {
    const { ofetch } = await import("ofetch");
    const client = ofetch.create({ baseURL: origin, headers });
    return (id) => client(`/transactions/${id}`);
  },
  [TXFEED.fetch]: ours("throw"),
  txfeed: ours("off"),
  [TXFEED.byPath]: byPath,
  [TXFEED.undici]: ours("throw", onUndici),
  "txfeed on undici": ours("off", onUndici),
};
