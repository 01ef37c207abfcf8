import { CLIENT_PARTS, type ClientPart, clientSize } from "../../scripts/bundle-size.ts";
import { atMost, kilobytesText, type SectionReport } from "../report.ts";

const AIM_BYTES = 12_000;
const WHAT = "txfeed/client, minified and gzipped";

/** The size of each part of the client. */
export async function clientSizes(): Promise<SectionReport> {
  const parts = Object.keys(CLIENT_PARTS) as ClientPart[];
  const sizes = await Promise.all(parts.map((part) => clientSize([part])));
  const rows = parts.map((part, at) => [
    part,
    kilobytesText(sizes[at]?.minified ?? Number.NaN),
    kilobytesText(sizes[at]?.gzipped ?? Number.NaN),
  ]);
  const title = "Size of the client, with openapi-fetch and without validation";
  const notes = ["Without undici, which the undici transport requires."];
  const tables = [{ title, columns: ["minified", "gzipped"], rows, notes }];
  const own = sizes[parts.indexOf("txfeed/client")]?.gzipped ?? Number.NaN;
  return { tables, targets: [atMost(WHAT, AIM_BYTES, own, kilobytesText)] };
}
