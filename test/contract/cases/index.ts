import { auth } from "./auth.ts";
import { bac } from "./bac.ts";
import { blk } from "./blk.ts";
import { btx } from "./btx.ts";
import type { Case } from "./case.ts";
import { conv } from "./conv.ts";
import { convLinks } from "./conv-links.ts";
import { enr } from "./enr.ts";
import { ep } from "./ep.ts";
import { listed } from "./listed.ts";
import { mat } from "./mat.ts";
import { msg } from "./msg.ts";
import { msgSource } from "./msg-source.ts";
import { nbf } from "./nbf.ts";
import { page } from "./page.ts";
import { sub } from "./sub.ts";
import { txn } from "./txn.ts";
import { txnMessages } from "./txn-messages.ts";
import { ver } from "./ver.ts";
import { whk } from "./whk.ts";

/** All cases, in the order of the requirements. */
export const cases: readonly Case[] = [
  ...conv,
  ...convLinks,
  ...auth,
  ...ep,
  ...page,
  ...txn,
  ...txnMessages,
  ...msg,
  ...msgSource,
  ...sub,
  ...nbf,
  ...blk,
  ...bac,
  ...btx,
  ...listed,
  ...mat,
  ...enr,
  ...whk,
  ...ver,
];
