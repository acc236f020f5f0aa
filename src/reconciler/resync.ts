// The full resync: compares an engine's machines with its instances. Finds what no call and no hint reported: a guest
// that halted itself, a missing machine, a host that died or came back, an orphaned machine.
//
// It decides nothing about an instance. It wakes drifted ones, and a reconciliation observes them again and acts. So an
// outdated or wrong list costs one more check and does no harm.

import type { Database } from "../database/connect.ts";
import type { Engine, ListedMachine } from "../engines/engine.ts";
import { compare, type Findings } from "./compare.ts";
import { engineCall } from "./engine-call.ts";
import { wake } from "./lease-store.ts";
import { type Log, reason } from "./log.ts";
import { Missing } from "./missing.ts";
import { expectedOn, isExpected, isUnknownSinceRestore, recordHealth, wasLost } from "./resync-store.ts";
import type { Settings } from "./settings.ts";

export class Resync {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #orphans = new Missing();
  #compared = 0;

  constructor(db: Database, engine: Engine, settings: Settings, log: Log) {
    this.#db = db;
    this.#engine = engine;
    this.#settings = settings;
    this.#log = log;
  }

  /** How many instances the last resync compared. */
  get compared(): number {
    return this.#compared;
  }

  /** Runs one resync. True if it woke an instance. Throws what the engine or the database throws. */
  async run(signal: AbortSignal): Promise<boolean> {
    const listing = await engineCall(this.#settings.engineCallSeconds, signal, (late) => this.#engine.list(late));
    // After the list: an instance's row is committed before its machine is created, so no machine looks like an orphan
    // because its row was read too early.
    const expected = expectedOn(this.#db, this.#engine.name, listing.unreachableHosts);
    const findings = await compare(listing, expected);
    this.#compared = findings.compared;
    await this.#noteHealth(findings);
    const woken = this.#believable(findings);
    if (woken.length > 0) {
      this.#log.info(
        { engine: this.#engine.name, instances: woken.slice(0, 20), count: woken.length },
        "full resync found drifted instances",
      );
      await wake(this.#db, woken);
    }
    for (const orphan of this.#ripeOrphans(findings.orphans)) await this.#removeOrphan(orphan, signal);
    return woken.length + findings.becameReachable.length > 0;
  }

  async #noteHealth({ becameUnreachable, becameReachable }: Findings): Promise<void> {
    const engine = this.#engine.name;
    const lost = await recordHealth(this.#db, becameUnreachable, "unreachable");
    if (lost > 0) this.#log.warn({ engine, count: lost }, "instances became unreachable");
    const back = await recordHealth(this.#db, becameReachable, "ok");
    if (back > 0) this.#log.info({ engine, count: back }, "instances became reachable");
  }

  /**
   * A rental ends when its machine is gone. If many are gone at once, the engine probably shows something else (another
   * project, an empty cluster after a reinstall), and an operator has to check.
   */
  #believable({ compared, astray, missing }: Findings): string[] {
    const tooMany = missing.length >= this.#settings.massLoss && missing.length * 2 > compared;
    if (!tooMany) return [...astray];
    const told = { engine: this.#engine.name, missing: missing.length, instances: compared };
    this.#log.error(told, "most machines are missing; no instance is ended, check the engine");
    const lost = new Set(missing);
    return astray.filter((id) => !lost.has(id));
  }

  /** Those that have been orphans for the whole grace period, as far as this process has observed. */
  #ripeOrphans(orphans: readonly ListedMachine[]): ListedMachine[] {
    this.#orphans.keepOnly(new Set(orphans.map(({ id }) => id)));
    return orphans.filter(({ id }) => this.#orphans.confirm(id, this.#settings.orphanGraceSeconds));
  }

  async #removeOrphan(orphan: ListedMachine, signal: AbortSignal): Promise<void> {
    const told = { engine: this.#engine.name, machine: orphan.id, host: orphan.host };
    if (await isExpected(this.#db, orphan.id)) return;
    if (await wasLost(this.#db, orphan.id)) {
      // It contains a customer's data.
      this.#log.error(told, "found a machine whose instance was ended as lost; remove it manually");
      return;
    }
    if (await isUnknownSinceRestore(this.#db, orphan.id)) {
      // It might have been rented after the backup.
      this.#log.error(
        told,
        "found a machine that is not in the restored backup; remove it manually, or remove all with `lessor restore --accept-orphans`",
      );
      return;
    }
    try {
      await engineCall(this.#settings.engineCallSeconds, signal, (late) => this.#engine.remove(orphan, late));
      this.#log.warn(told, "removed an orphaned machine");
    } catch (error) {
      this.#log.warn({ ...told, error: reason(error) }, "cannot remove an orphaned machine");
    }
  }
}
