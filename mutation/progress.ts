/** Number of runs per progress line if standard error is not a terminal. */
const EVERY = 50;

/** Reports the number of completed runs on standard error. */
export function startProgress(total: number): { step(): void; end(): void } {
  const { stderr } = process;
  const start = performance.now();
  let done = 0;
  const line = () =>
    `${done} of ${total} runs, ${Math.round((performance.now() - start) / 1000)} s`;
  return {
    step() {
      done += 1;
      if (stderr.isTTY) stderr.write(`\r${line()}`);
      else if (done % EVERY === 0) stderr.write(`${line()}\n`);
    },
    end() {
      if (stderr.isTTY) stderr.write("\r\x1b[2K");
    },
  };
}
