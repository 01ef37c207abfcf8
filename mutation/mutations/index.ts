import type { Mutation } from "../mutation.ts";
import { auth } from "./auth.ts";
import { bac, blk, btx } from "./bank.ts";
import { conv, ep } from "./conv-ep.ts";
import { mat } from "./mat.ts";
import { msg, whk } from "./msg-whk.ts";
import { page } from "./page.ts";
import { nbf, sub } from "./sub-nbf.ts";
import { txn } from "./txn.ts";

/** Every mutation, by requirement group. */
export const mutations: readonly Mutation[] = [
  ...[conv, auth, ep, page, txn, msg, sub, nbf, blk, bac, btx, mat, whk].flat(),
];
