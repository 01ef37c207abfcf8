import { NotStartedError } from "../errors.ts";
import { type Command, EXIT, portIn } from "./command.ts";
import { startMock } from "./prism.ts";
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
  },
  run: async ({ values }) => {
    const port = portIn(mock, String(values.port ?? "4010"));
    const onViolation = (violation: string) => console.error(`refused: ${violation}`);
    const running = await startMock({ port, onViolation });
    console.log(`mock on ${running.url}, accepts any bearer token; press Ctrl-C to stop`);
    const stopped = interrupted().then(() => true);
    const isStopped = await Promise.race([stopped, running.ended.then(() => false)]);
    if (!isStopped) throw new NotStartedError(`Prism on ${running.url} ended by itself`);
    await running.stop();
    return EXIT.ok;
  },
};
