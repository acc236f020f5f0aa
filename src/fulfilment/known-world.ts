// Whether an engine still shows the world that its machines were made in. A word in lessor.yaml is enough to point it at
// another cluster or project, where none of them is; and what is gone ends its rental, with the data of a customer.
//
// Invariant: no call goes to an engine before it was found to be the one it was. It is when it says so itself
// (Engine.identity), when nothing of it has ever been active, or when one at least of the active machines is there: a
// cluster may have got another certificate. Otherwise every call is `unavailable`, and an operator is told.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { type Engine, EngineError } from "../engines/engine.ts";
import type { Log } from "./log.ts";
import { expectedOn } from "./sweep-store.ts";

/** The code of the EngineError (`unavailable`) of every call to an engine that shows another world. */
export const engineChanged = "engine-changed";

export class KnownWorld {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #log: Log;
  #isKnown = false;

  constructor(db: Database, engine: Engine, log: Log) {
    this.#db = db;
    this.#engine = engine;
    this.#log = log;
  }

  /** Looks anew. Throws EngineError engineChanged, and what engine and database throw. */
  async check(signal: AbortSignal): Promise<void> {
    this.#isKnown = false;
    const identity = await this.#engine.identity(signal);
    const stored = await this.#stored(identity);
    if (stored !== identity && !(await this.#hasOurs(signal))) {
      const told = { engine: this.#engine.name, was: stored, is: identity };
      this.#log.error(
        told,
        "the engine shows another cluster or project than its machines are in: nothing is done to it",
      );
      throw new EngineError("unavailable", engineChanged, "The hosts cannot be reached.");
    }
    if (stored !== identity) await this.#store(identity);
    this.#isKnown = true;
  }

  /** Nothing to do where the last look found it known. Throws as `check`. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.#isKnown) await this.check(signal);
  }

  async #hasOurs(signal: AbortSignal): Promise<boolean> {
    const active = (await expectedOn(this.#db, this.#engine.name)).filter((instance) => instance.was_active);
    if (active.length === 0) return true;
    const { machines } = await this.#engine.list(signal);
    const there = new Set(machines.map(({ id }) => id));
    return active.some(({ id }) => there.has(id));
  }

  /** What was stored before, or what is stored now. */
  async #stored(identity: string): Promise<string> {
    const { rows } = await sql<{ value: unknown }>`
      with made as (
        insert into settings (name, value) values (${this.#setting}, to_jsonb(${identity}::text))
        on conflict (name) do nothing returning value
      )
      select value from made union all select value from settings where name = ${this.#setting}`.execute(this.#db);
    return String(rows[0]?.value ?? identity);
  }

  async #store(identity: string): Promise<void> {
    await sql`update settings set value = to_jsonb(${identity}::text) where name = ${this.#setting}`.execute(this.#db);
  }

  get #setting(): string {
    return `world:${this.#engine.name}`;
  }
}

/** The engine, with every call only once its world is known. */
export function guarded(engine: Engine, world: KnownWorld): Engine {
  const first = async <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    await world.ready(signal);
    return call();
  };
  return {
    name: engine.name,
    identity: (signal) => engine.identity(signal),
    hosts: (signal) => first(signal, () => engine.hosts(signal)),
    create: (spec, signal) => first(signal, () => engine.create(spec, signal)),
    start: (spec, signal) => first(signal, () => engine.start(spec, signal)),
    stop: (machine, signal) => first(signal, () => engine.stop(machine, signal)),
    remove: (machine, signal) => first(signal, () => engine.remove(machine, signal)),
    removeFileSystem: (one, signal) => first(signal, () => engine.removeFileSystem(one, signal)),
    inspect: (machine, signal) => first(signal, () => engine.inspect(machine, signal)),
    list: (signal) => first(signal, () => engine.list(signal)),
    watch: (onChange, onGap) => engine.watch(onChange, onGap),
    consoleLog: (machine, signal) => first(signal, () => engine.consoleLog(machine, signal)),
    openTerminal: (machine, order, signal) => first(signal, () => engine.openTerminal(machine, order, signal)),
    close: () => engine.close(),
  };
}
