// Guests that have just powered themselves off, as libvirt's event told. What ran them is put away by libvirt in some
// seconds, in which it answers no question about them; a renter need not wait for that. Used by engine.ts.
//
// Invariant: it is believed only for as long as that takes, and not beyond the next event of the machine.

/** libvirt needs two to three seconds, and more on a busy host. */
const BELIEVED_MS = 15_000;

export class Ended {
  readonly #clock: () => number;
  readonly #since = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The next event of a machine: its guest has ended, or something else. */
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

  /** Events may have been missed. */
  forgetAll(): void {
    this.#since.clear();
  }
}
