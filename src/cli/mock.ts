import { NotStartedError } from "../errors.ts";
import { type Command, EXIT, portIn } from "./command.ts";
import { interrupted } from "./interrupted.ts";
import { startMock } from "./prism.ts";

/** `txfeed mock`: the Prism mock, until it is interrupted. */
export const mock: Command = {
  name: "mock",
  positionals: [],
  summary: "serves the contract's examples by Prism, on loopback",
  flags: {
    port: { type: "string", value: "N", help: "the port; 4010 unless set, 0 for a free one" },
  },
  run: async ({ values }) => {
    const port = portIn(mock, String(values.port ?? "4010"));
    const onViolation = (violation: string) => console.error(`refused: ${violation}`);
    const running = await startMock({ port, onViolation });
    console.log(`mock on ${running.url}, any bearer token will do; Ctrl-C stops it`);
    const stopped = interrupted().then(() => true);
    const isStopped = await Promise.race([stopped, running.ended.then(() => false)]);
    if (!isStopped) throw new NotStartedError(`Prism on ${running.url} ended by itself`);
    await running.stop();
    return EXIT.ok;
  },
};
