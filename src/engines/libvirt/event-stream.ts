// The events of a host: a process per host that prints one line per event, restarted whenever it ends. Used by
// engine.ts.
//
// Invariant: events are hints. They are lost while no process runs, so each start reports that events might have been
// missed.

import { machineIdIn } from "./labels.ts";
import type { Virsh } from "./virsh/virsh.ts";

export interface EventListener {
  /** `guestEnded`: the guest has powered itself off; libvirt cleans up in the following seconds. */
  onEvent(machineId: string, guestEnded: boolean): void;
  /** Events are received from here on; earlier ones might have been missed. */
  onGap(): void;
}

export interface Pauses {
  /** After the first failure, and the maximum, in milliseconds. */
  readonly first: number;
  readonly most: number;
}

const PAUSES: Pauses = { first: 500, most: 15_000 };

/** A process that ran this long was connected: the pause is reset. */
const CALM_MS = 30_000;

/** The first line shows that the connection works; virsh registers for events right after it. */
const REGISTER_MS = 200;

export class EventStream {
  readonly #virsh: Virsh;
  readonly #hearer: EventListener;
  readonly #pauses: Pauses;
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  #isClosed = false;

  constructor(virsh: Virsh, hearer: EventListener, pauses: Pauses = PAUSES) {
    this.#virsh = virsh;
    this.#hearer = hearer;
    this.#pauses = pauses;
    this.#pauseMs = pauses.first;
    this.#begin();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#end?.();
  }

  #begin(): void {
    const begun = performance.now();
    let isConnected = false;
    const commands = [["hostname"], ["event", "--all", "--loop", "--timestamp"]];
    this.#end = this.#virsh.follow(commands, {
      onLine: (line) => {
        if (!isConnected) {
          isConnected = true;
          this.#timer = setTimeout(() => this.#hearer.onGap(), REGISTER_MS);
        }
        this.#hear(line);
      },
      onEnd: () => {
        if (this.#isClosed) return;
        clearTimeout(this.#timer);
        if (isConnected && performance.now() - begun > CALM_MS) this.#pauseMs = this.#pauses.first;
        this.#timer = setTimeout(() => this.#begin(), this.#pauseMs);
        this.#pauseMs = Math.min(this.#pauseMs * 2, this.#pauses.most);
      },
    });
  }

  /** `2026-01-01 12:00:00.000+0000: event 'lifecycle' for domain 'lessor-…': Stopped Shutdown`. */
  #hear(line: string): void {
    const [, kind, domain, what] = /^\S+ \S+: event '([a-z-]+)' for domain '([^']*)'(?:: (.*))?$/.exec(line) ?? [];
    const machineId = domain === undefined ? undefined : machineIdIn(domain);
    if (machineId === undefined || (kind !== "lifecycle" && kind !== "reboot")) return;
    this.#hearer.onEvent(machineId, what === "Shutdown Finished after guest request");
  }
}
