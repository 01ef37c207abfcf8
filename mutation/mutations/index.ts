import type { Mutation } from "../mutation.ts";
import { auth } from "./auth.ts";
import { bac, blk } from "./blk-bac.ts";
import { btx } from "./btx.ts";
import { conv, ep } from "./conv-ep.ts";
import { mat } from "./mat.ts";
import { msg } from "./msg.ts";
import { page } from "./page.ts";
import { nbf, sub } from "./sub-nbf.ts";
import { txn } from "./txn.ts";
import { whk } from "./whk.ts";

/** Every mutation, by requirement group. */
export const mutations: readonly Mutation[] = [
  ...[conv, auth, ep, page, txn, msg, sub, nbf, blk, bac, btx, mat, whk].flat(),
];
