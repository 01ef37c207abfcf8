import { withBanner } from "./banner.ts";
import { type Document, type NamedOperation, operationsOf } from "./document.ts";

/**
 * Renders the example responses of the contract with their generated types, so that an example of
 * the wrong shape does not compile.
 */
export function renderResponseExamples(document: Document): string {
  return withBanner(`
import type { ResponseBodies, OperationKey } from "./operations.ts";

/** An example response of the contract. */
export interface ResponseExample<Body = unknown> {
  /** The name, unique within the operation. */
  readonly name: string;
  /** The HTTP status. */
  readonly status: number;
  /** The JSON body. Do not modify it: it is shared. */
  readonly body: Body;
}

/** The body of an operation's response; unknown if the contract does not specify it. */
type ResponseBody<Key extends OperationKey> = Key extends keyof ResponseBodies
  ? ResponseBodies[Key][200]
  : unknown;

/** The example responses of every operation, at least one each, in the order of the contract. */
export const responseExamples: {
  readonly [Key in OperationKey]: readonly [
    ResponseExample<ResponseBody<Key>>,
    ...ResponseExample<ResponseBody<Key>>[],
  ];
} = {
${operationsOf(document).map(renderOperation).join("\n")}
};
`);
}

function renderOperation({ key, operation }: NamedOperation): string {
  const examples = Object.entries(operation.responses).flatMap(([code, { content }]) => {
    const status = Number(code);
    const named = Object.entries(content?.["application/json"]?.examples ?? {});
    return named.map(([name, { value }]) => JSON.stringify({ name, status, body: value }));
  });
  return [`  ${JSON.stringify(key)}: [`, ...examples.map((line) => `    ${line},`), "  ],"].join(
    "\n",
  );
}
