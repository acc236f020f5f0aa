// What the fake does later: at its time, or when the test releases it. Nothing of it outlives the fake.

export class FakeTimers {
  readonly #running = new Set<NodeJS.Timeout>();
  /** By what it is about, such as the id of a server. */
  readonly #held = new Map<string, (() => void)[]>();

  /** `held`: not before the test releases it. */
  later(about: string, ms: number, held: boolean, work: () => void): void {
    if (held) {
      this.#held.set(about, [...(this.#held.get(about) ?? []), work]);
      return;
    }
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      work();
    }, ms);
    this.#running.add(timer);
  }

  /** What is held goes on at once; of one server or volume, or of all. */
  release(about?: string): void {
    const names = about === undefined ? [...this.#held.keys()] : [about];
    const works = names.flatMap((name) => this.#held.get(name) ?? []);
    for (const name of names) this.#held.delete(name);
    for (const work of works) work();
  }

  close(): void {
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
    this.#held.clear();
  }
}
