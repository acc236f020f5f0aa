// Names every repeated statement, so that PostgreSQL parses and plans it once per connection: measured 2 times the
// throughput of unnamed ones. Sits between Kysely's driver and a `pg` pool; only connect.ts uses it.
//
// A name is the hash of the SQL text, so equal text has one name on all connections and replicas. `pg` and the server
// keep a prepared statement as long as the connection lives. Not all texts may be named, because their number is
// unlimited (an INSERT of n rows has a text for each n): a name is given at the second use, and to 1000 texts at most.

import { createHash } from "node:crypto";
import type { CompiledQuery, PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import { partsOf, RoundTrips, unmarked } from "./round-trips.ts";

/** A Kysely pool over `pool` whose clients name their statements. */
export function nameStatements(pool: pg.Pool): PostgresPool {
  const names = new StatementNames();
  const clients = new WeakMap<pg.PoolClient, NamingClient>();
  return {
    Client: pg.Client,
    options: pool.options,
    end: () => pool.end(),
    // The same wrapper for the same client: Kysely identifies a connection by this object.
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client);
      if (known) return known;
      const naming = new NamingClient(client, names);
      clients.set(client, naming);
      return naming;
    },
  };
}

/** The names of texts. Exported for its test. */
export class StatementNames {
  readonly #limit: number;
  readonly #named = new Map<string, string>();
  readonly #seenOnce = new Set<string>();

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  /** The name to prepare `text` under, or undefined when it should be sent unnamed. */
  of(text: string): string | undefined {
    const name = this.#named.get(text);
    if (name !== undefined) return name;
    // begin, commit and the like gain nothing: without a name they go in one message, unprepared.
    if (this.#named.size >= this.#limit || !/^\s*(select|insert|update|delete|merge|with)\b/i.test(text)) return;
    if (!this.#seenOnce.delete(text)) {
      if (this.#seenOnce.size >= this.#limit) this.#seenOnce.clear();
      this.#seenOnce.add(text);
      return;
    }
    const fresh = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    this.#named.set(text, fresh);
    return fresh;
  }
}

class NamingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #trips: RoundTrips;
  readonly #names: StatementNames;
  #outdated = false;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client;
    this.#trips = new RoundTrips(client);
    this.#names = names;
  }

  get processID(): number {
    // Kysely cancels with it; the types of `pg` lack it.
    return (this.#client as pg.PoolClient & { processID: number }).processID;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(sql: string | PostgresCursor<R>, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== "string") throw new Error("BUG: no cursor was configured, and yet one arrived");
    const parts = partsOf(sql, parameters);
    return parts === undefined ? this.#run(sql, [...parameters]) : this.#runAll(parts);
  }

  /** A client that holds outdated statements is not used again. */
  release(destroy?: boolean): void {
    this.#client.release(destroy || this.#outdated);
  }

  /** All at once; the rows of the result are the rows of each. */
  async #runAll(parts: readonly CompiledQuery[]): Promise<PostgresQueryResult<unknown>> {
    const send = () => parts.map(({ sql, parameters }) => this.#run(sql, [...parameters]));
    const running = this.#trips.atOnce(send);
    // The first failure has the cause; later ones only say that the transaction had failed. It is thrown when all have
    // ended: then the connection is reused, and a statement that is run again would run there.
    await Promise.allSettled(running);
    const results: PostgresQueryResult<never>[] = [];
    for (const one of running) results.push(await one);
    return { command: "SELECT", rowCount: results.length, rows: results.map(({ rows }) => rows) };
  }

  async #run(marked: string, values: unknown[]): Promise<PostgresQueryResult<never>> {
    const { text, isBehind } = unmarked(marked);
    const name = this.#names.of(text);
    // Kysely's type knows few command words and no missing row count; correct for what Kysely sends.
    const send = async (query: pg.QueryConfig) =>
      (await this.#trips.send(query, isBehind)) as PostgresQueryResult<never>;
    const isAlone = !this.#trips.isInTransaction;
    try {
      return await send(name === undefined ? { text, values } : { name, text, values });
    } catch (error) {
      // Its own, or that of a deferred statement that was sent with it.
      if (!isOutdatedStatement(error)) throw error;
      this.#outdated = true;
      // The server rejected it before doing anything. Outside a transaction nothing was lost and the same text can run
      // again unnamed; inside one the transaction is lost, and inTransaction repeats it on another connection.
      if (!isAlone) throw error;
      return send({ text, values });
    }
  }
}

/** A migration (perhaps another replica's) changed a table so that a prepared statement would return other columns. */
export function isOutdatedStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "0A000" && error.routine === "RevalidateCachedQuery";
}
