import { formats } from "../../contract/formats.ts";

/**
 * The string formats of the control API. The generator bundles this module into
 * `generated/control-validators.js`.
 */
export const controlFormats = {
  /** CONV-03 */
  date: formats.date,
  /** CONV-02 */
  "date-time": formats["date-time"],
  uri: isReceiverUrl,
};

/** Whether a request can be sent to a URL: http or https, and credentials that Node can decode. */
function isReceiverUrl(text: string): boolean {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (!url || !/^https?:\/\//i.test(trimmed) || !/^https?:$/.test(url.protocol)) return false;
  try {
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
