// Whether an engine still is the one its machines were created in. One word in lessor.yaml can point it at another
// cluster or project, and a machine that is gone ends its rental, with the customer's data.
//
// Invariant: an identity is confirmed if Engine.identity returns the stored value, if nothing on it was ever active and
// it has no file system, if at least one of its active machines is there (a cluster can get a new certificate), or if
// an operator declared all of its hosts lost (a reinstalled host).
// Otherwise it is logged for the operator. Used by engine-identities.ts, which blocks calls until then.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { identitySettingOf, isAnothersIdentity } from "../database/engine-identities.ts";
import { idsOf } from "../database/pages.ts";
import { type Engine, EngineError } from "../engines/engine.ts";
import { isAllLost } from "../rental/hosts/lost-hosts.ts";
import type { Log } from "./log.ts";
import { expectedOn, hasFileSystemsOn } from "./resync-store.ts";

/** The code of the EngineError (`unavailable`) of every call while the identity is not confirmed. */
export const engineChanged = "engine-changed";

export class EngineIdentity {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #host: string | undefined;
  #isKnown = false;
  #isChecked = false;
  /** Checks are numbered as they begin: an older one that ends later does not undo what a newer one found. */
  #begun = 0;
  #recorded = 0;

  /** `host`: one of the engine's `worlds`; undefined: the engine has one identity. */
  constructor(db: Database, engine: Engine, host: string | undefined, log: Log) {
    this.#db = db;
    this.#engine = engine;
    this.#host = host;
    this.#log = log;
  }

  /** Whether the last check that got an answer confirmed it. Calls to one machine count on that. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /**
   * Whether the last check confirmed it. Listings count on that: a host that did not answer the check can be another one
   * when it answers the listing right after.
   */
  get isConfirmed(): boolean {
    return this.#isKnown && this.#isChecked;
  }

  /**
   * Checks again; if that fails, the previous result still counts. Throws EngineError engineChanged, and what engine
   * and database throw.
   */
  async check(signal: AbortSignal): Promise<void> {
    const number = ++this.#begun;
    try {
      await this.#compare(signal);
      this.#record(number, { isKnown: true, isChecked: true });
    } catch (error) {
      const isOther = error instanceof EngineError && error.code === engineChanged;
      this.#record(number, { isKnown: isOther ? false : this.#isKnown, isChecked: false });
      throw error;
    }
  }

  #record(number: number, { isKnown, isChecked }: { isKnown: boolean; isChecked: boolean }): void {
    if (number < this.#recorded) return;
    this.#recorded = number;
    this.#isKnown = isKnown;
    this.#isChecked = isChecked;
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const identity = await this.#engine.identity(signal, this.#host);
    const stored = await this.#stored(identity);
    if (stored !== identity && !(await this.#hasOurs(signal, identity))) {
      const told = { engine: this.#engine.name, was: stored, is: identity };
      if (this.#host === undefined) {
        this.#log.error(told, "engine identity changed; reconciliation paused");
      } else {
        this.#log.error({ ...told, host: this.#host }, "host identity changed; reconciliation paused");
      }
      throw new EngineError("unavailable", engineChanged, "The hosts cannot be reached.");
    }
    if (stored !== identity) await this.#store(identity);
  }

  async #hasOurs(signal: AbortSignal, identity: string): Promise<boolean> {
    const only = this.#host;
    const active = new Set<string>();
    for await (const page of expectedOn(this.#db, this.#engine.name, only === undefined ? [] : [only])) {
      const ours = page.filter(({ was_active, there }) => was_active && (only === undefined || there));
      for (const id of ours.flatMap(idsOf)) active.add(id);
    }
    // A lost host can be exchanged, but not for one that is another host already.
    if (await isAllLost(this.#db, this.#engine.name, only)) {
      return !(await isAnothersIdentity(this.#db, identity, this.#engine.name, only));
    }
    if (active.size === 0) return !(await hasFileSystemsOn(this.#db, this.#engine.name, only));
    const { machines } = await this.#engine.list(signal);
    return machines.some(({ id, host }) => active.has(id) && (only === undefined || only === host));
  }

  /** Returns the stored identity; stores this one if there was none. */
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
    return identitySettingOf(this.#engine.name, this.#host);
  }
}
