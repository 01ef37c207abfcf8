import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import type { Message } from "../../assert.ts";
import type { Breach, Session } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { textOf } from "../../observe/feed.ts";
import { type Holder, holdersIn, idIn } from "../../observe/operations.ts";
import type { ValidatedResponse } from "../../observe/validation.ts";
import type { Exchange } from "../../wire/exchange.ts";

/** The form of a relative path. */
export const RELATIVE = /^\/(?!\/)/;

interface HolderOf extends Holder {
  readonly exchange: Exchange;
  readonly findings: ValidatedResponse["findings"];
  readonly situations: readonly Situation[];
}

/** All objects with links, in all responses. */
export function holdersOf(session: Session): Promise<readonly HolderOf[]> {
  return session.share("holders of links", async () =>
    (await feedOf(session)).responses
      .filter(isResource)
      .flatMap(({ operation, exchange, findings }) =>
        holdersIn(exchange.response?.json).map((one) => ({
          ...{ ...one, exchange, findings },
          situations: situationsAt(one.at, operation),
        })),
      ),
  );
}

/** The situations of an object by its position in a response. */
function situationsAt(at: string, operation: string): readonly Situation[] {
  if (/\/_embedded\/messages\/\d+$/.test(at)) return ["projected"];
  const isSingle = operation.includes("{");
  if (at === "") return isSingle ? ["alone"] : [];
  return !isSingle && /^\/_embedded\/\w+\/\d+$/.test(at) ? ["listed"] : [];
}

/** A link that must end in an id. */
interface Leading {
  readonly path: string;
  readonly href: string;
  readonly id: string;
  readonly evidence: Message;
}

/** The relative links with a given name, and the id that they must end in. */
export function leading(
  links: Holder["links"],
  name: string,
  id: string,
  evidence: Message,
): readonly Leading[] {
  return links.flatMap((one) => {
    const href = memberOf(one.link, "href");
    const isPath = one.name === name && typeof href === "string" && RELATIVE.test(href);
    return isPath ? [{ path: `${one.path}/href`, href, id, evidence }] : [];
  });
}

export function leadsToOwnId({ href, id }: Leading): boolean {
  return idIn(href).toLowerCase() === id.toLowerCase();
}

/** The breach that a self link returned another resource. */
export function returnsOther(one: Leading & { readonly returned: Exchange }): Breach[] {
  const { id, evidence, returned } = one;
  const actual = textOf(returned.response?.json, "id");
  // EP-04 reports a missing id.
  if (actual === undefined || actual.toLowerCase() === id.toLowerCase()) return [];
  return [{ path: "/id", expected: id, actual, evidence: [returned, evidence] }];
}

export function isResource({ operation, isJson }: ValidatedResponse): boolean {
  return isJson && operation.startsWith("GET ");
}
