import { NotStartedError } from "../errors.ts";
import { type Command, EXIT, portIn } from "./command.ts";
import { JSON_FLAG } from "./format.ts";
import { outputTo, warn } from "./output.ts";
import { startMock } from "./prism.ts";
import { progressOn } from "./progress.ts";
import { interrupted } from "./terminal.ts";

/** `txfeed mock`: runs the Prism mock until it is interrupted. */
export const mock: Command = {
  name: "mock",
  positionals: [],
  summary: "runs a stateless mock of the API on 127.0.0.1, with Prism",
  flags: {
    port: {
      type: "string",
      value: "N",
      help: "port to listen on, 0 for a free one (default: 4010)",
    },
    json: { ...JSON_FLAG, help: "print the URL as one line of JSON" },
  },
  examples: [
    { command: "txfeed mock", does: "serve the examples on http://127.0.0.1:4010" },
    { command: "txfeed mock --port 0 --json", does: "print the URL for a program" },
  ],
  run: async ({ values }) => {
    const port = portIn(mock, String(values.port ?? "4010"));
    const onViolation = (violation: string) => warn(`refused: ${violation}`);
    const progress = progressOn(process.stderr);
    progress.step("starting Prism");
    const running = await startMock({ port, onViolation }).finally(progress.end);
    const text = values.json
      ? JSON.stringify({ baseUrl: running.url })
      : `mock on ${running.url}, accepts any bearer token; press Ctrl-C to stop`;
    const stopped = interrupted().then(() => true);
    // The mock continues even if the reader of its output closes it.
    await outputTo(process.stdout).write(`${text}\n`);
    const isStopped = await Promise.race([stopped, running.ended.then(() => false)]);
    if (!isStopped) throw new NotStartedError(`Prism on ${running.url} ended by itself`);
    await running.stop();
    return EXIT.ok;
  },
};
