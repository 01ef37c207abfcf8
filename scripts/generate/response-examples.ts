import { withBanner } from "./banner.ts";
import { type Document, type NamedOperation, operationsOf } from "./document.ts";

/**
 * Renders the contract's example answers, held to the generated types: an example that has not the
 * shape of its answer does not compile.
 */
export function renderResponseExamples(document: Document): string {
  return withBanner(`
import type { ResponseBodies, OperationKey } from "./operations.ts";

/** An answer that the contract shows. */
export interface ResponseExample<Body = unknown> {
  /** Its name, of its own among the operation's. */
  readonly name: string;
  /** The status that it is sent with. */
  readonly status: number;
  /** The JSON body; shared, so not to be changed. */
  readonly body: Body;
}

/** The body of an operation's answer, unknown where the contract does not specify it. */
type ResponseBody<Key extends OperationKey> = Key extends keyof ResponseBodies
  ? ResponseBodies[Key][200]
  : unknown;

/** The example answers of every operation, at least one each, in the order of the contract. */
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
