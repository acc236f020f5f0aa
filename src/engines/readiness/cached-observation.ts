// Caches what this process observed of running machines: the address, and that SSH responded. So listing all machines
// needs no SSH probes, and a machine just found ready is not probed again.
//
// Invariant: an entry is about one boot (`boot` identifies it) and is deleted when anything happens to the machine. A
// lost entry only costs a probe. Used by every real engine; only the engine knows what identifies a boot.

interface Sight {
  readonly boot: string;
  readonly ip: string;
  readonly usable: boolean;
}

export class Seen {
  readonly #sights = new Map<string, Sight>();
  /** Machines that we stopped, and that did not halt themselves. */
  readonly #stopped = new Set<string>();

  note(machineId: string, boot: string, ip: string, usable: boolean): void {
    this.#sights.set(machineId, { boot, ip, usable });
  }

  of(machineId: string, boot: string): { readonly ip: string | undefined; readonly usable: boolean } {
    const sight = this.#sights.get(machineId);
    return sight?.boot === boot ? sight : { ip: undefined, usable: false };
  }

  /** Something happened to it: the observation might be outdated. */
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
