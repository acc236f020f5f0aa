// How many streams each of many has open: of a token, or of an account. Memory is bounded by what is open. Used by hub.ts.

import { RentalError } from "../../rental/errors.ts";

export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  /** `most` for each. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Throws RentalError quota-exceeded when this one has as many as it may. */
  refuseWhenFull(whose: string): void {
    const used = this.#taken.get(whose) ?? 0;
    if (used < this.#most) return;
    throw new RentalError("quota-exceeded", { what: "event_streams", limit: this.#most, used, requested: 1 });
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
