// How long a simulated machine takes to start or halt: random within limits, repeatable with a seed. It depends on the
// seed, the machine and the operation, not on the order of calls, so runs with many machines are repeatable too.

import { createHash, randomBytes } from "node:crypto";

export class Durations {
  readonly #seed: string;

  /** `seed` undefined: random in every run. */
  constructor(seed: number | undefined) {
    this.#seed = seed === undefined ? randomBytes(16).toString("hex") : `${seed}`;
  }

  /** Seconds between `least` and `most`, evenly distributed; the same for the same `what`. */
  between([least, most]: readonly [least: number, most: number], ...what: readonly string[]): number {
    const digest = createHash("sha256")
      .update([this.#seed, ...what].join("\n"))
      .digest();
    return least + (most - least) * (digest.readUIntBE(0, 6) / 2 ** 48);
  }
}
