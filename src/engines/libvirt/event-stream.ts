// What happens on a host, as libvirt tells it: one process for each host that prints a line for each event, begun anew
// whenever it ends. Used by engine.ts.
//
// Invariant: events are hints. Between two processes they are lost, so each beginning says that something may have been.

import { machineIdIn } from "./labels.ts";
import type { Virsh } from "./virsh/virsh.ts";

export interface EventListener {
  /** `guestEnded`: its guest has powered itself off; what ran it is put away in the seconds that follow. */
  onEvent(machineId: string, guestEnded: boolean): void;
  /** Events are heard from here on; what was before may have been missed. */
  onGap(): void;
}

export interface Pauses {
  /** The first after an end, the most, in milliseconds. */
  readonly first: number;
  readonly most: number;
}

const PAUSES: Pauses = { first: 500, most: 15_000 };

/** A process that ran so long was connected: the next pause is the first again. */
const CALM_MS = 30_000;

/** The first line tells that the connection stands; registering for events is what virsh does next. */
const REGISTER_MS = 200;

export class EventStream {
  readonly #virsh: Virsh;
  readonly #hearer: EventListener;
  readonly #pauses: Pauses;
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  #isClosed = false;

  /** Begins at once. */
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
