import type { Sides } from "./compare.ts";
import type { Side } from "./contract-side.ts";
import { withoutNames } from "./message.ts";

/** A received message. */
type Captured =
  | { readonly kind: "delivery"; readonly name: string; readonly body: unknown }
  | {
      readonly kind: "response";
      readonly operation: string;
      readonly status: number;
      readonly body: unknown;
    };

/** A captured message that the old contract allows and the new one rejects. */
interface BrokenCapture {
  readonly line: number;
  /** For example `transaction.created` or `GET /cards/{id} 200`. */
  readonly message: string;
  readonly error: string;
}

/** The effect of the new contract on the received messages. */
export interface CaptureReport {
  readonly messages: number;
  /** The number that the old contract already rejects: the change does not break them. */
  readonly invalidBefore: number;
  /** The number of lines that are not messages. */
  readonly unreadable: number;
  readonly broken: readonly BrokenCapture[];
}

/** Validates captured messages against both contracts. */
export class CaptureComparison {
  readonly #sides: Sides;
  readonly #broken: BrokenCapture[] = [];
  #messages = 0;
  #invalidBefore = 0;
  #unreadable = 0;

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  /** Counts a line that is not a message. */
  skip(): void {
    this.#unreadable += 1;
  }

  add(line: number, captured: Captured): void {
    const { body } = captured;
    const isDelivery = captured.kind === "delivery";
    const message = isDelivery ? captured.name : `${captured.operation} ${captured.status}`;
    const key = `${captured.kind} ${withoutNames(message)}`;
    const headers = isDelivery ? { "webhook-event-type": captured.name } : {};
    const { old: before, new: after } = this.#sides;
    this.#messages += 1;
    // A capture does not have the headers of responses.
    const errorsIn = (side: Side) =>
      side
        .errors(key, { headers, body })
        .filter(({ instancePath }) => isDelivery || !instancePath.startsWith("/headers"));
    if (!before.message(key) || errorsIn(before).length > 0) {
      this.#invalidBefore += 1;
      return;
    }
    if (!after.message(key)) {
      this.#broken.push({ line, message, error: "the new contract does not have it" });
      return;
    }
    const [error] = errorsIn(after);
    if (!error) return;
    const at = error.instancePath.replace(/^\/body(?=\/|$)/, "") || "(body)";
    this.#broken.push({ line, message, error: `${at} ${error.message}` });
  }

  end(): CaptureReport {
    return {
      messages: this.#messages,
      invalidBefore: this.#invalidBefore,
      unreadable: this.#unreadable,
      broken: this.#broken,
    };
  }
}
