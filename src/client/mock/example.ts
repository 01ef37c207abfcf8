import type { OperationKey } from "../../../generated/operations.ts";
import { type ResponseExample, responseExamples } from "../../../generated/response-examples.ts";
import type { AnyRecordedCall } from "./recorded-call.ts";

/** A page or a resource, as far as it is looked at here. */
interface Addressed {
  readonly _links?: { readonly self?: { readonly href: string }; readonly next?: unknown };
  readonly _embedded?: Readonly<Record<string, readonly Addressed[]>>;
}

/**
 * The body that the contract's examples have for a call: the page or the resource of that very
 * address, a resource that only a page of its collection shows among them; where there is none, the
 * operation's first example. A collection without a query begins with its first example as well,
 * not with the empty page that has this address; a page that no example shows is a last one, so
 * that every walk ends.
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

/** The item of a collection that has this address: the examples of its pages show it in full. */
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
