// Guests that have just powered themselves off, according to libvirt's events. libvirt then cleans up for some seconds,
// in which it answers no query about them; customers need not wait for that. Used by engine.ts.
//
// Invariant: an entry counts only for that long, and not beyond the machine's next event.

/** libvirt needs two to three seconds, and more on a busy host. */
const BELIEVED_MS = 15_000;

export class Ended {
  readonly #clock: () => number;
  readonly #since = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** An event of a machine: its guest has ended, or something else. */
  note(machineId: string, guestEnded: boolean): void {
    if (guestEnded) this.#since.set(machineId, this.#clock());
    else this.#since.delete(machineId);
  }

  has(machineId: string): boolean {
    const since = this.#since.get(machineId);
    if (since === undefined) return false;
    if (this.#clock() - since < BELIEVED_MS) return true;
    this.#since.delete(machineId);
    return false;
  }

  /** Events might have been missed. */
  forgetAll(): void {
    this.#since.clear();
  }
}
