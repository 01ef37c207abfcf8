import { createHash } from "node:crypto";
import { uuidFrom } from "../model/links.ts";
import { Random } from "../world/random.ts";

/** Draws from a seed. The number of draws is part of the sandbox's state. */
export class SeededRandom extends Random {
  id(): string {
    return uuidFrom(this.hex(64));
  }

  protected digest(): string {
    return createHash("sha256").update(`${this.seed}/${this.drawn}`).digest("hex");
  }
}
