// Which hosts have work on their NVSwitch partitions, and which process does it. Used by the reconciler
// (reconciler/gpu-partitions.ts).
//
// Invariant: one process works on the partitions of a host, the one that claimed it last; every write of another one
// changes nothing. A change of what is wanted makes the host due (trigger gpu_partitions_follow), and only a process that
// finds nothing to do, under the lock of the host's row, ends that.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../../database/connect.ts";
import { isReached } from "../../hosts/accepting.ts";

/** The partitions of one host, claimed. */
export interface Fabric {
  readonly host: string;
  /** Identifies this claim. */
  readonly claims: number;
}

/** Claims those of up to `limit` hosts of the engine that are reached and due, for `seconds`: more than a call takes. */
export async function claimFabrics(db: Database, engine: string, limit: number, seconds: number): Promise<Fabric[]> {
  const isDue = sql`f.due_at <= now() and f.leased_until <= now()`;
  const { rows } = await sql<Fabric>`
    with due as (
      select h.name from gpu_fabrics f join hosts h on h.name = f.host
      where ${isDue} and h.engine = ${engine} and ${isReached(sql`h.state`)}
      order by f.due_at limit ${limit} for update of h skip locked
    )
    update gpu_fabrics f set claims = claims + 1, leased_until = now() + ${interval(seconds)}
    from due where f.host = due.name and ${isDue}
    returning f.host, f.claims`.execute(db);
  return rows;
}

/**
 * Locks its host, and keeps the claim for `seconds` more. False: another process has it. Its caller changes the
 * partitions of the host.
 */
export async function keepFabric(tx: Transaction, { host, claims }: Fabric, seconds: number): Promise<boolean> {
  await sql`select from hosts where name = ${host} for update`.execute(tx);
  const { numAffectedRows } = await sql`
    update gpu_fabrics set leased_until = now() + ${interval(seconds)}
    where host = ${host} and claims = ${claims}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Gives the claim up; it is due as before. */
export async function leaveFabric(db: Database, { host, claims }: Fabric): Promise<void> {
  await sql`update gpu_fabrics set leased_until = now() where host = ${host} and claims = ${claims}`.execute(db);
}

/** Hosts of the engine that have GPUs, or had. */
export async function hostsToRead(db: Database, engine: string): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    select f.host from gpu_fabrics f join hosts h on h.name = f.host where h.engine = ${engine} order by 1`.execute(db);
  return rows.map(({ host }) => host);
}

/** What is known of the partitions of these hosts is not relied on any more until they are read. */
export async function readAgain(db: Database, hosts: readonly string[]): Promise<void> {
  await sql`
    update gpu_fabrics set read_requests = read_requests + 1, due_at = least(due_at, now())
    where host = any(${hosts}::text[])`.execute(db);
}

export function interval(seconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${seconds}::float8)`;
}
