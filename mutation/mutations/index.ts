import type { Mutation } from "../mutation.ts";
import { auth } from "./auth.ts";
import { authTokens } from "./auth-tokens.ts";
import { bac } from "./bac.ts";
import { blk } from "./blk.ts";
import { btx } from "./btx.ts";
import { conv } from "./conv.ts";
import { ep } from "./ep.ts";
import { epResources } from "./ep-resources.ts";
import { mat } from "./mat.ts";
import { msg } from "./msg.ts";
import { nbf } from "./nbf.ts";
import { page } from "./page.ts";
import { pageWalks } from "./page-walks.ts";
import { sub } from "./sub.ts";
import { txn } from "./txn.ts";
import { txnSequences } from "./txn-sequences.ts";
import { whk } from "./whk.ts";

/** Every mutation, by requirement group. */
export const mutations: readonly Mutation[] = [
  ...conv,
  ...auth,
  ...authTokens,
  ...ep,
  ...epResources,
  ...page,
  ...pageWalks,
  ...txn,
  ...txnSequences,
  ...msg,
  ...sub,
  ...nbf,
  ...blk,
  ...bac,
  ...btx,
  ...mat,
  ...whk,
];
