import type { HistoryFinding, RecordedDelivery } from "../contract/index.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import type { Line } from "./lines.ts";
import type { Progress } from "./progress.ts";
import { Unreadable } from "./unreadable.ts";

/** A capture as it is read: its deliveries go on, and what is none is kept in mind. */
export class DeliveryLines {
  readonly unreadable = new Unreadable();
  /** Deliveries that break WHK-01, so that their bodies can't be judged. */
  readonly findings: HistoryFinding[] = [];
  deliveries = 0;
  readonly #progress: Progress;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** Reads a batch of lines. */
  *deliveriesIn(batch: readonly Line[]): Generator<RecordedDelivery> {
    for (const line of batch) {
      const delivery = this.#read(line);
      if (delivery) yield delivery;
    }
    this.#progress.show(this.deliveries);
  }

  #read(line: Line): RecordedDelivery | undefined {
    const { number } = line;
    const envelope: Envelope =
      "problem" in line ? { kind: "unreadable", problem: line.problem } : readEnvelope(line.text);
    switch (envelope.kind) {
      case "unreadable":
        this.unreadable.add(String(number), envelope.problem);
        return undefined;
      case "response":
        this.unreadable.add(String(number), "a response, and a history is of deliveries");
        return undefined;
      case "broken":
        this.deliveries += 1;
        this.findings.push({ ...envelope.finding, lines: [number] });
        return undefined;
      case "delivery": {
        this.deliveries += 1;
        const { name, body, receivedAt } = envelope;
        return {
          headers: { "webhook-event-type": name },
          body,
          ...(receivedAt !== undefined && { receivedAt }),
          line: number,
        };
      }
    }
  }
}
