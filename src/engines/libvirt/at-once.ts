// Limits how much background work runs at once, in order of arrival. Used for what every host needs after a start: a
// thousand hosts would run a thousand processes of virsh at once.

export class AtOnce {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs it at once, if there is room. Throws what it throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes over this one's room.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
