import type { Finding } from "../contract/finding.ts";
import type { Networks } from "../contract/networks.ts";
import type { AnsweringOperation, validateResponse } from "../contract/validate.ts";
import { UNKNOWN } from "./template.ts";

const UNKNOWN_GET = `GET ${UNKNOWN}`;

/** Checks answers by the validators that webhooks are checked by, loaded when first needed. */
export class ResponseCheck {
  readonly #networks: Networks | undefined;
  #validate: typeof validateResponse | undefined;
  #loading: Promise<void> | undefined;

  constructor(networks: Networks | undefined) {
    this.#networks = networks;
  }

  /** Loads the validators ahead of their first use. */
  async load(): Promise<void> {
    this.#loading ??= import("../contract/index.ts").then((contract) => {
      this.#validate = contract.validateResponse;
    });
    await this.#loading;
  }

  /**
   * What the body of a 200 breaks, notices left out; a promise of it while the validators load.
   * What the contract does not know breaks nothing.
   */
  findings(operation: string, body: unknown): readonly Finding[] | Promise<readonly Finding[]> {
    if (operation === UNKNOWN_GET) return [];
    const validate = this.#validate;
    if (!validate) return this.load().then(() => this.findings(operation, body));
    const options = this.#networks && { networks: this.#networks };
    const { findings } = validate(operation as AnsweringOperation, 200, body, options);
    return findings.length === 0 ? findings : findings.filter(({ level }) => level !== "notice");
  }
}
