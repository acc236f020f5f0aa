// Counts the open connections of each owner: streams of a token or of an account, terminals of an account. Memory is
// limited by what is open. Used by hub.ts and ../terminals/.

import { RentalError } from "../../../rental/errors.ts";

export class OpenConnectionCounts {
  readonly #most: number;
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  /** `most` for each. `what`: its name in errors. */
  constructor(most: number, what: "event_streams" | "terminals") {
    this.#most = most;
    this.#what = what;
  }

  /** Throws RentalError quota-exceeded if this owner is at its limit. */
  refuseWhenFull(whose: string): void {
    const used = this.#taken.get(whose) ?? 0;
    if (used < this.#most) return;
    throw new RentalError("quota-exceeded", { what: this.#what, limit: this.#most, used, requested: 1 });
  }

  take(whose: string): void {
    this.#taken.set(whose, (this.#taken.get(whose) ?? 0) + 1);
  }

  giveBack(whose: string): void {
    const left = (this.#taken.get(whose) ?? 1) - 1;
    if (left > 0) this.#taken.set(whose, left);
    else this.#taken.delete(whose);
  }
}
