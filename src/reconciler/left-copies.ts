// Removes what moves left behind, as a part of the full resync (resync.ts): copies of instances that are on another host
// now, and second copies of instances that ended with their hosts, which no reconciliation removes.
//
// Invariant: a copy is removed only while the instance is on another host and no move expects it, and the engine is told
// which copy to keep. On a lost host that is reached again it is removed at once; elsewhere after the grace period.

import type { Database } from "../database/connect.ts";
import type { Engine, ListedMachine, MachineRef } from "../engines/engine.ts";
import type { HostScope } from "../rental/hosts/host-scope.ts";
import { engineCall } from "./engine-call.ts";
import { type Log, reason } from "./log.ts";
import { Missing } from "./missing.ts";
import { forgetMove, type MoveInResync, type StrayCopy, strayCopiesAmong } from "./resync-moves.ts";
import type { Settings } from "./settings.ts";

/** What a resync has found. */
export interface ListedCopies {
  readonly moves: readonly MoveInResync[];
  /** Lost hosts that are reached again. */
  readonly lostHosts: ReadonlySet<string>;
  readonly machines: readonly ListedMachine[];
  /** Machines that are listed on several hosts. */
  readonly doubles: readonly ListedMachine[];
}

export class LeftCopies {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #strays = new Missing();

  constructor(db: Database, engine: Engine, settings: Settings, log: Log) {
    this.#db = db;
    this.#engine = engine;
    this.#settings = settings;
    this.#log = log;
  }

  /** Removes them. `scope`: of the resync. Returns the lost hosts on which there were some. */
  async remove(
    { moves, lostHosts, machines, doubles }: ListedCopies,
    scope: HostScope,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    for (const { id, secondHost: host, isOver } of moves) {
      if (!isOver) continue;
      const isRemoved = await this.#removed({ id, host }, signal, (late) => this.#engine.remove({ id, host }, late));
      if (isRemoved) await forgetMove(this.#db, id);
    }
    const onLost = lostHosts.size === 0 ? [] : machines.filter(({ host }) => lostHosts.has(host));
    const unclean = await strayCopiesAmong(this.#db, onLost);
    const others = await strayCopiesAmong(
      this.#db,
      doubles.filter(({ host }) => !lostHosts.has(host)),
    );
    for (const copy of [...unclean, ...this.#ripe(others, scope)]) await this.#removeStray(copy, signal);
    return new Set(unclean.map(({ host }) => host));
  }

  #ripe(copies: readonly StrayCopy[], scope: HostScope): StrayCopy[] {
    const keyOf = ({ id, host }: StrayCopy) => `${id} ${host}`;
    if (scope.only === undefined) this.#strays.keepOnly(new Set(copies.map(keyOf)));
    return copies.filter((copy) => this.#strays.confirm(keyOf(copy), this.#settings.orphanGraceSeconds));
  }

  async #removeStray({ id, host, kept }: StrayCopy, signal: AbortSignal): Promise<void> {
    const { mover } = this.#engine;
    if (mover !== undefined)
      await this.#removed({ id, host }, signal, (late) => mover.removeCopy({ id, host }, kept, late));
  }

  /** False if it cannot be removed now. */
  async #removed(
    { id, host }: MachineRef,
    signal: AbortSignal,
    remove: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const told = { engine: this.#engine.name, machine: id, host };
    try {
      await engineCall(this.#settings.engineCallSeconds, signal, remove);
      this.#log.warn(told, "removed a copy of a moved machine");
      return true;
    } catch (error) {
      this.#log.warn({ ...told, error: reason(error) }, "cannot remove a copy of a moved machine");
      return false;
    }
  }
}
