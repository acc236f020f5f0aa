// Which hosts are verified to run machines. Used by hosts.ts.
//
// Invariant: a host counts as verified only by a guest that ran. A result stands until a newer one, so a restart of the
// daemon takes no host out of service during verification. A host that stops responding during verification keeps its
// last result.

import { AtOnce } from "./at-once.ts";
import type { HostConnection } from "./host-connection.ts";
import { says } from "./virsh/virsh-error.ts";
import { clearOldVerifications, oldSeconds, verifyVirtualization } from "./virtualization.ts";

const RETRY_MS = 60_000;

/** A longer verification hangs in a call that its own deadline does not cover. */
const MOST_MS = 120_000;

interface Verdict {
  readonly works: boolean;
  /** By the process's monotonic clock. */
  readonly at: number;
}

export interface VerificationDependencies {
  /** A result is new or has changed. */
  readonly onVerdict: (host: string) => void;
  readonly prove?: typeof verifyVirtualization;
  /** Cleans up when an interrupted verification has surely ended. */
  readonly clear?: typeof clearOldVerifications;
  readonly clock?: () => number;
  readonly mostMs?: number;
  /** What limits how many run at once. */
  readonly atOnce?: AtOnce;
}

export class Verifications {
  readonly #parts: Required<VerificationDependencies>;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #stale = new Set<string>();
  readonly #clearings = new Set<NodeJS.Timeout>();
  readonly #closing = new AbortController();

  constructor(parts: VerificationDependencies) {
    this.#parts = {
      prove: verifyVirtualization,
      clear: clearOldVerifications,
      clock: () => performance.now(),
      mostMs: MOST_MS,
      atOnce: new AtOnce(Number.POSITIVE_INFINITY),
      ...parts,
    };
  }

  /** Whether it works, as far as known: waits for a first verification until the signal aborts. */
  async works(place: HostConnection, signal: AbortSignal): Promise<boolean> {
    const { name } = place.host;
    if (this.#isDue(name)) this.#begin(place);
    if (!this.#verdicts.has(name)) await Promise.race([this.#underWay.get(name), aborted(signal)]);
    return this.#verdicts.get(name)?.works === true;
  }

  /** The host might have restarted with another kernel: verifies it again when next needed. */
  forget(host: string): void {
    this.#stale.add(host);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    for (const timer of this.#clearings) clearTimeout(timer);
    await Promise.all(this.#underWay.values());
  }

  #isDue(name: string): boolean {
    const verdict = this.#verdicts.get(name);
    if (verdict === undefined || this.#stale.has(name)) return true;
    return !verdict.works && this.#parts.clock() - verdict.at >= RETRY_MS;
  }

  #begin(place: HostConnection): void {
    const { name } = place.host;
    if (this.#underWay.has(name) || this.#closing.signal.aborted) return;
    this.#stale.delete(name);
    const { clock, atOnce, onVerdict } = this.#parts;
    const proof = atOnce
      .run(() => this.#prove(place))
      .then((works) => {
        this.#underWay.delete(name);
        if (this.#closing.signal.aborted) return;
        this.#clearLater(place);
        if (works === undefined) {
          this.#stale.add(name);
          return;
        }
        const before = this.#verdicts.get(name)?.works;
        this.#verdicts.set(name, { works, at: clock() });
        if (before !== works) onVerdict(name);
      });
    this.#underWay.set(name, proof);
  }

  /** Undefined: it is not known. */
  async #prove(place: HostConnection): Promise<boolean | undefined> {
    const late = AbortSignal.timeout(this.#parts.mostMs);
    try {
      await this.#parts.prove(place, AbortSignal.any([this.#closing.signal, late]));
      return true;
    } catch (error) {
      return late.aborted || says(error, "unreachable") ? undefined : false;
    }
  }

  /**
   * A service that was killed during verification restarts at once, when that verification is too recent to be told
   * from a concurrent one.
   */
  #clearLater(place: HostConnection): void {
    const timer = setTimeout(() => {
      this.#clearings.delete(timer);
      this.#parts.clear(place, AbortSignal.timeout(oldSeconds * 1000)).catch(() => {});
    }, oldSeconds * 1000);
    timer.unref();
    this.#clearings.add(timer);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
