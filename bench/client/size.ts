import {
  CLIENT_AIM_BYTES,
  CLIENT_PARTS,
  type ClientPart,
  clientSize,
} from "../../scripts/bundle-size.ts";
import { atMost, kilobytesText, type SectionReport, type Target } from "../report.ts";

const WHAT = "txfeed/client, minified and gzipped";

/** What the client weighs, all of it and part by part. */
export async function clientSizes(): Promise<SectionReport> {
  const parts = Object.keys(CLIENT_PARTS) as ClientPart[];
  const rows: (readonly string[])[] = [];
  for (const part of parts) rows.push(await rowOf(part, [part]));
  const title = "Size of the client, with openapi-fetch and without validation";
  const notes = ["Without undici, which the transport on it asks for."];
  const tables = [{ title, columns: ["minified", "gzipped"], rows, notes }];
  return { tables, targets: [await target()] };
}

async function rowOf(name: string, parts: readonly ClientPart[]): Promise<string[]> {
  try {
    const { minified, gzipped } = await clientSize(parts);
    return [name, kilobytesText(minified), kilobytesText(gzipped)];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}

async function target(): Promise<Target> {
  try {
    const { gzipped } = await clientSize(["txfeed/client"]);
    return atMost(WHAT, CLIENT_AIM_BYTES, gzipped, kilobytesText);
  } catch {
    const asked = `≤ ${kilobytesText(CLIENT_AIM_BYTES)}`;
    return { what: WHAT, asked, measured: "-", isMet: null };
  }
}
