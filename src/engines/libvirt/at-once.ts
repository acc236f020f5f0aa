// Limits how much work runs at once. Used for what every host needs: a thousand hosts would run a thousand processes of
// virsh at once after a start.

export class AtOnce {
  readonly #most: number;
  readonly #order: "oldest first" | "newest first";
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `order`: of what waits. Newest first: what is asked of one host does not wait for all that were asked before. */
  constructor(most: number, order: "oldest first" | "newest first" = "oldest first") {
    this.#most = most;
    this.#order = order;
  }

  /** Runs it at once, if there is room. Throws what it throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes over this one's room.
      const next = this.#order === "oldest first" ? this.#waiting.shift() : this.#waiting.pop();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
