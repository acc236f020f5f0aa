// The events of a host, one line per event, followed again whenever that ends. Used by engine.ts.
//
// Invariant: events are hints. They are lost while none are followed, so each start reports that events might have been
// missed.

import { machineIdIn } from "./labels.ts";
import { restartMs } from "./timeouts.ts";
import type { Virsh } from "./virsh/virsh.ts";

export interface EventListener {
  /** `guestEnded`: the guest has powered itself off; libvirt cleans up in the following seconds. */
  onEvent(machineId: string, guestEnded: boolean): void;
  /** Events are received from here on; earlier ones might have been missed. */
  onGap(): void;
  /** Events were received, and are not any more, for longer than a daemon takes to restart. */
  onLost(): void;
  /** The host has closed the connection at this time, and a new one is open: its daemon, or the host, restarted. */
  onRestart(closedAt: Date): void;
}

export interface Pauses {
  /** After the first failure, and the maximum, in milliseconds. */
  readonly first: number;
  readonly most: number;
}

const PAUSES: Pauses = { first: 500, most: 15_000 };
/** Where an attempt is a call of the system, and not a process of ssh. */
const CHEAP: Pauses = { first: 500, most: 3000 };

/** How long to wait before the host at this URI is tried again. */
export function pausesOf(uri: string): Pauses {
  return uri.startsWith("qemu+ssh:") ? PAUSES : CHEAP;
}

/** A process that ran this long was connected: the pause is reset. */
const CALM_MS = 30_000;

/** Why a connection ended that the other side has closed; one that is lost on the way ends by a timeout. */
const closed = /the connection was closed|ECONNRESET|end of file|I\/O error/i;

/** The first line shows that the connection works; virsh registers for events right after it. */
const REGISTER_MS = 200;

export class EventStream {
  readonly #virsh: Virsh;
  readonly #hearer: EventListener;
  readonly #pauses: Pauses;
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Set once events are not received any more, until they are again. */
  #lost: NodeJS.Timeout | undefined;
  #pauseMs: number;
  #isClosed = false;
  /** When the host closed the connection, until there is another. */
  #lostAt: Date | undefined;

  constructor(virsh: Virsh, hearer: EventListener, pauses: Pauses = PAUSES) {
    this.#virsh = virsh;
    this.#hearer = hearer;
    this.#pauses = pauses;
    this.#pauseMs = pauses.first;
    this.#begin();
  }

  close(): void {
    this.#isClosed = true;
    this.#isBack();
    clearTimeout(this.#timer);
    this.#end?.();
  }

  #isBack(): void {
    clearTimeout(this.#lost);
    this.#lost = undefined;
  }

  #begin(): void {
    const begun = performance.now();
    let isConnected = false;
    const commands = [["hostname"], ["event", "--all", "--loop", "--timestamp"]];
    this.#end = this.#virsh.follow(commands, {
      onLine: (line) => {
        if (!isConnected) {
          isConnected = true;
          this.#isBack();
          this.#timer = setTimeout(() => this.#hearer.onGap(), REGISTER_MS);
          if (this.#lostAt !== undefined) this.#hearer.onRestart(this.#lostAt);
          this.#lostAt = undefined;
        }
        this.#hear(line);
      },
      onEnd: (why) => {
        if (this.#isClosed) return;
        if (isConnected && closed.test(why)) this.#lostAt = new Date();
        clearTimeout(this.#timer);
        if (isConnected) this.#lost ??= setTimeout(() => this.#hearer.onLost(), restartMs);
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
