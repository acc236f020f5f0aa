// What this process has seen of running machines: the address, and that SSH answered. So a list of all machines need
// not knock at every door, and a machine that was found usable is not asked again in the same breath.
//
// Invariant: it is about one boot (`boot` tells it from others) and is forgotten when anything happens to the
// machine. Losing it costs a look. Used by every real engine; only an engine knows what tells its boots apart.

interface Sight {
  readonly boot: string;
  readonly ip: string;
  readonly usable: boolean;
}

export class Seen {
  readonly #sights = new Map<string, Sight>();
  /** Those that were stopped by us, and not by themselves. */
  readonly #stopped = new Set<string>();

  note(machineId: string, boot: string, ip: string, usable: boolean): void {
    this.#sights.set(machineId, { boot, ip, usable });
  }

  of(machineId: string, boot: string): { readonly ip: string | undefined; readonly usable: boolean } {
    const sight = this.#sights.get(machineId);
    return sight?.boot === boot ? sight : { ip: undefined, usable: false };
  }

  /** Something happened to it: what was seen may no longer be so. */
  forget(machineId: string): void {
    this.#sights.delete(machineId);
  }

  noteStop(machineId: string): void {
    this.#stopped.add(machineId);
  }

  noteStart(machineId: string): void {
    this.#stopped.delete(machineId);
  }

  wasStopped(machineId: string): boolean {
    return this.#stopped.has(machineId);
  }

  remove(machineId: string): void {
    this.forget(machineId);
    this.#stopped.delete(machineId);
  }
}
