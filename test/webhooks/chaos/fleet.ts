import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildSync } from "esbuild";
import { make } from "../../../src/fixtures/index.ts";
import type { Health } from "../../../src/webhooks/index.ts";
import { uuid } from "../../support/payloads.ts";
import { type Program, startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import type { MemberSettings, Role } from "./member.ts";
import { type Delivery, type Observation, RESPONSE_MS } from "./oracle.ts";

/** The pause between two probes, and between two readings, of a process. */
const PROBE_EVERY_MS = 400;
/** A process that closes ends within this time. */
const CLOSE_MS = 10_000;

const { id: _, ...updated } = make("transaction.updated");

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Resolves to null if there is no response in time. */
function ask(port: number, path: string, body: string, limitMs: number): Promise<Answer | null> {
  const headers = {
    "content-type": "application/json",
    "webhook-event-type": "transaction.updated",
  };
  const { promise, resolve } = Promise.withResolvers<Answer | null>();
  const signal = AbortSignal.timeout(limitMs);
  const sent = request(
    { port, path, host: "127.0.0.1", method: "POST", headers, signal, agent: false },
    (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", () => resolve(null));
    },
  );
  sent.on("error", () => resolve(null)).end(body);
  return promise;
}

/** A process that is started again after it ended. */
interface Member {
  readonly name: string;
  readonly role: Role;
  program: Program;
  /** undefined until the process listens. */
  port: number | undefined;
  isStopped: boolean;
  /** Grows with each signal. */
  life: number;
}

/** The processes that share an inbox, and what is observed of them. */
export class Fleet {
  readonly observations: Observation[] = [];
  readonly acknowledged: Delivery[] = [];
  /** Processes that ended by themselves, did not close in time, or wrote to stderr. */
  readonly failures: string[] = [];
  readonly members: readonly Member[];
  readonly #program: string;
  readonly #settings: (role: Role) => MemberSettings;
  #probes = 0;
  #isClosing = false;
  #isObserving = true;
  readonly #observers: Promise<void>[];

  constructor(roles: readonly Role[], settings: (role: Role) => MemberSettings) {
    this.#settings = settings;
    // As one file, a process starts three times as fast.
    this.#program = join(tempDir(), "member.cjs");
    buildSync({
      entryPoints: [join(import.meta.dirname, "member.ts")],
      outfile: this.#program,
      bundle: true,
      platform: "node",
      external: ["pg-native"],
    });
    this.members = roles.map((role, at) => {
      const rest = { program: undefined as never, port: undefined, isStopped: false, life: 0 };
      return { name: `${role} ${at + 1}`, role, ...rest };
    });
    for (const member of this.members) this.#start(member);
    this.#observers = this.members.flatMap((member) =>
      (["probe", "reading"] as const).map((what) => this.#observe(member, what)),
    );
  }

  /** Resolves when all processes listen. */
  async ready(): Promise<void> {
    while (this.members.some(({ port }) => port === undefined)) await wait(20);
  }

  /** A process that runs, of some roles. */
  async choose(roles: readonly Role[], random: () => number): Promise<Member> {
    for (;;) {
      const running = this.members.filter(
        ({ role, port, isStopped }) => roles.includes(role) && port !== undefined && !isStopped,
      );
      const member = running[Math.floor(random() * running.length)];
      if (member) return member;
      await wait(20);
    }
  }

  #start(member: Member): void {
    const args = ["--disable-warning=ExperimentalWarning", this.#program];
    const program = startNode([...args, JSON.stringify(this.#settings(member.role))]);
    member.program = program;
    member.life += 1;
    const listening = program.until(/^(\d+)\n/).then(([, port]) => {
      if (member.program === program) member.port = Number(port);
    });
    listening.catch(() => undefined);
    void program.ended.then(({ status, stdout, stderr }) => {
      // A locked file may prevent the start.
      const failures = stdout === "" ? [] : this.failures;
      const lines = stderr.trim().split("\n");
      const line = lines.find((one) => /error|warning/i.test(one)) ?? lines[0];
      if (line) failures.push(`${member.name} wrote: ${line}`);
      if (this.#isClosing || member.program !== program) return;
      failures.push(`${member.name} ended by itself with status ${status}`);
      member.port = undefined;
      setTimeout(() => this.#start(member), 500);
    });
  }

  /** Ends a process by SIGKILL, and starts another one after a pause. */
  async kill(member: Member, pauseMs: number): Promise<void> {
    member.life += 1;
    member.port = undefined;
    const { program } = member;
    member.program = undefined as never;
    await program.stop("SIGKILL");
    member.isStopped = false;
    await wait(pauseMs);
    this.#start(member);
  }

  /** Stops a process. Call the result to continue it. */
  freeze(member: Member): () => void {
    const { program } = member;
    member.life += 1;
    member.isStopped = true;
    program.child.kill("SIGSTOP");
    return () => {
      member.life += 1;
      member.isStopped = false;
      program.child.kill("SIGCONT");
    };
  }

  /** Closes a process in an orderly way, and starts another one. */
  async close(member: Member): Promise<void> {
    member.life += 1;
    member.port = undefined;
    const { program } = member;
    member.program = undefined as never;
    const late = setTimeout(() => {
      this.failures.push(`${member.name} did not close within ${CLOSE_MS / 1000} s`);
      program.child.kill("SIGKILL");
    }, CLOSE_MS);
    await program.stop("SIGTERM");
    clearTimeout(late);
    if (!this.#isClosing) this.#start(member);
  }

  /** Ends the probes and the readings. */
  async stopObserving(): Promise<void> {
    this.#isObserving = false;
    await Promise.all(this.#observers);
  }

  /** Closes all processes in an orderly way. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.members.map((member) => this.close(member)));
  }

  /** Sends a delivery to a process once. */
  async send(member: Member, delivery: Delivery, limitMs: number): Promise<Answer | null> {
    const { resource, number, kind } = delivery;
    const body = { id: resource, ...updated, metadata: { number, kind } };
    return member.port === undefined ? null : ask(member.port, "/", JSON.stringify(body), limitMs);
  }

  /** The `health()` of a process; null if there is no response. */
  async health({ port }: Member): Promise<Pick<Health, "inbox"> | null> {
    const answer = port === undefined ? null : await ask(port, "/ready", "", RESPONSE_MS.reading);
    return answer && JSON.parse(answer.text);
  }

  /** Probes a process, or reads its health, until it is no longer wanted. */
  async #observe(member: Member, what: Observation["what"]): Promise<void> {
    while (this.#isObserving) {
      await wait(PROBE_EVERY_MS);
      const { life, port, isStopped } = member;
      if (port === undefined || isStopped) continue;
      const start = performance.now();
      const limitMs = RESPONSE_MS[what];
      const probe = this.#probe();
      const answer = await (what === "probe"
        ? this.send(member, probe, limitMs)
        : ask(port, "/ready", "", limitMs));
      if (what === "probe" && isSuccess(answer)) this.acknowledged.push(probe);
      if (member.life !== life || !this.#isObserving) continue;
      const end = performance.now();
      const isAnswered = answer !== null;
      const name = `${member.name}, life ${life}`;
      this.observations.push({
        ...{ life: name, what, start, end, ok: isSuccess(answer), isAnswered },
        text: answer?.text ?? "",
      });
    }
  }

  /** A delivery of a resource of its own. */
  #probe(): Delivery {
    this.#probes += 1;
    return { resource: uuid(1_000_000 + this.#probes), number: 0, kind: "plain" };
  }
}

/** Whether a delivery was acknowledged. */
export function isSuccess(answer: Answer | null): boolean {
  return answer !== null && answer.status < 300;
}
