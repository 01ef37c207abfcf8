import type { OperationKey } from "../../../generated/operations.ts";
import { type ResponseExample, responseExamples } from "../../../generated/response-examples.ts";
import type { AnyRecordedCall } from "./recorded-call.ts";

/** The parts of a page or a resource that are read here. */
interface Addressed {
  readonly _links?: { readonly self?: { readonly href: string }; readonly next?: unknown };
  readonly _embedded?: Readonly<Record<string, readonly Addressed[]>>;
}

/**
 * Chooses the body for a call from the contract's examples: the page or resource with that address,
 * which may be an item of a page; otherwise the operation's first example. A collection without a
 * query gets its first example, not the empty page with the same address. An unknown page gets a
 * last page, so that every iteration ends.
 */
export function exampleFor(operation: OperationKey, call: AnyRecordedCall): unknown {
  const examples: readonly ResponseExample[] = responseExamples[operation];
  const { path } = call;
  const isCollection = !operation.endsWith("}");
  if (!isCollection) return (find(examples, path) ?? itemOf(path) ?? examples[0])?.body;
  const { search, searchParams } = new URL(call.url);
  const shown = search === "" ? undefined : find(examples, path + search);
  const isLater = searchParams.has("cursor") || searchParams.has("offset");
  return (shown ?? (isLater ? examples.find(isLast) : undefined) ?? examples[0])?.body;
}

function isLast({ body }: ResponseExample): boolean {
  return (body as Addressed)._links?.next === undefined;
}

function find(examples: readonly ResponseExample[], href: string): ResponseExample | undefined {
  return examples.find(({ body }) => hrefOf(body as Addressed) === href);
}

/** Finds the item with this address in the example pages of its collection. */
function itemOf(path: string): { readonly body: unknown } | undefined {
  const key = `GET /${path.split("/")[1]}`;
  if (!isOperation(key)) return undefined;
  for (const { body } of responseExamples[key]) {
    for (const items of Object.values((body as Addressed)._embedded ?? {})) {
      const item = items.find((one) => hrefOf(one) === path);
      if (item) return { body: item };
    }
  }
  return undefined;
}

function isOperation(key: string): key is OperationKey {
  return Object.hasOwn(responseExamples, key);
}

function hrefOf({ _links }: Addressed): string | undefined {
  return _links?.self?.href;
}
