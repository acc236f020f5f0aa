// The health of the engine's hosts: what their reports and connections tell at once, and what is asked of each only now
// and then, in the background. Used by hosts.ts and engine.ts.
//
// libvirt tells the free space of a pool as of its last refresh, and no time of its own. So every five minutes each host
// refreshes its pool, by a call on its connection; and every hour a process of virsh makes a file in its memory, whose
// time is compared. For 1,000 hosts that are three calls a second, and a process every four seconds.

import { clockFinding, type DaemonSign, diskFinding, type HostFinding, poolFinding } from "../../rules/host-health.ts";
import { expiringSoon } from "../tls-certificates.ts";
import { AtOnce } from "./at-once.ts";
import { clockSkew } from "./host/clock.ts";
import type { Inventory } from "./host/inventory.ts";
import type { HostConnection } from "./host-connection.ts";
import { says, VirshError } from "./virsh/virsh-error.ts";

const REFRESH_MS = 300_000;
const CLOCK_MS = 3_600_000;
/** A refresh reads the head of every disk in the pool. */
const MOST_MS = 60_000;
/** They wait for nothing, and must not slow what does. */
const MOST_AT_ONCE = 4;

interface Known {
  refreshedAt: number;
  clockAt: number;
  isAsked: boolean;
  pool: HostFinding | undefined;
  clock: HostFinding | undefined;
  restartedAt: Date | undefined;
}

export class HostHealth {
  readonly #known = new Map<string, Known>();
  readonly #atOnce = new AtOnce(MOST_AT_ONCE);
  readonly #clock: () => number;
  readonly #closing = new AbortController();
  readonly #asking = new Set<Promise<void>>();

  /** `clock`: monotonic milliseconds; replaced in tests. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Of a host that was just read: what is known, without waiting. Begins to ask what is due. */
  of(place: HostConnection, { pool }: Inventory): { health: HostFinding[]; daemon: DaemonSign | undefined } {
    const known = this.#of(place.host.name);
    this.#ask(place, known);
    const { restartedAt } = known;
    const health = [
      known.pool,
      diskFinding(place.settings.pool, pool.freeBytes, pool.allBytes),
      known.clock,
      ...expiringSoon(place.virsh.certificates?.() ?? []),
    ].filter((finding) => finding !== undefined);
    return { health, daemon: restartedAt && { restartedAt } };
  }

  /** The host's daemon restarted. */
  noteRestart(host: string, at: Date): void {
    this.#of(host).restartedAt = at;
  }

  /** Ends what is asked. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    await Promise.all(this.#asking);
  }

  /** Resolves when nothing is asked; for tests. */
  async idle(): Promise<void> {
    await Promise.all(this.#asking);
  }

  #of(host: string): Known {
    const known = this.#known.get(host);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const made = {
      refreshedAt: never,
      clockAt: never,
      isAsked: false,
      pool: undefined,
      clock: undefined,
      restartedAt: undefined,
    };
    this.#known.set(host, made);
    return made;
  }

  #ask(place: HostConnection, known: Known): void {
    if (known.isAsked || this.#closing.signal.aborted || this.#clock() - known.refreshedAt < REFRESH_MS) return;
    known.isAsked = true;
    const asking = this.#atOnce
      .run(() => this.#askNow(place, known))
      .finally(() => {
        known.isAsked = false;
        this.#asking.delete(asking);
      });
    this.#asking.add(asking);
  }

  /** Throws nothing: what the host does not answer stays as it was. */
  async #askNow(place: HostConnection, known: Known): Promise<void> {
    known.refreshedAt = this.#clock();
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(MOST_MS)]);
    const refreshed = await refreshPool(place, signal);
    if (refreshed !== undefined) known.pool = refreshed.finding;
    if (this.#clock() - known.clockAt < CLOCK_MS) return;
    const skew = await clockSkew(place, signal).catch(() => undefined);
    if (skew === undefined) return;
    known.clockAt = this.#clock();
    known.clock = clockFinding(skew);
  }
}

/** What is wrong with the pool; undefined: it is not known. */
async function refreshPool(
  { virsh, settings: { pool } }: HostConnection,
  signal: AbortSignal,
): Promise<{ readonly finding: HostFinding | undefined } | undefined> {
  try {
    await virsh.call(["pool-refresh", pool], { signal });
    return { finding: undefined };
  } catch (error) {
    // A volume that is being written keeps it from a refresh, and works.
    if (!(error instanceof VirshError) || says(error, "unreachable") || says(error, "poolBusy")) return undefined;
    return { finding: poolFinding(`The pool ${pool} cannot be refreshed: ${error.complaint}`) };
  }
}
