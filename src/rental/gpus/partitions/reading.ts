// Stores what the helper of a host reports of its NVSwitch partitions. Used by the reconciler
// (reconciler/gpu-partitions.ts).
//
// Invariant: a partition that an instance or a validation wants, or that might be active, keeps its GPUs, whatever is
// reported. What the fabric manager says of whether it is active is believed; that it says nothing of one means nothing:
// it counts as active until it has been deactivated.

import { sql } from "kysely";
import type { Transaction } from "../../../database/connect.ts";
import { type Fabric, keepFabric } from "./fabrics.ts";
import { isToDeactivate, mightBeActive } from "./partition-sql.ts";

/** One of which all GPUs are known (gpus/partitions.ts). */
export interface ReportedPartition {
  readonly id: string;
  /** In order. */
  readonly addresses: readonly string[];
  readonly isActive: boolean;
}

export interface Reading {
  /** The last request for one when it began (ReadingCall). */
  readonly request: number;
  /** Of the fabric manager; null: there is none. */
  readonly version: string | null;
  readonly partitions: readonly ReportedPartition[];
}

/**
 * `lost`: another process has claimed the host. An object: the reading contradicts what is known, and why. In both cases
 * nothing was changed.
 */
export async function recordReading(
  tx: Transaction,
  fabric: Fabric,
  { request, version, partitions }: Reading,
  seconds: number,
): Promise<"recorded" | "lost" | { readonly contradiction: string }> {
  if (!(await keepFabric(tx, fabric, seconds))) return "lost";
  const { host } = fabric;
  const before = await capacityOf(tx, host);
  const reported = sql`jsonb_to_recordset(${JSON.stringify(partitions)}::jsonb)
    as told (id text, addresses text[], "isActive" boolean)`;
  const contradiction = await contradictionOf(tx, host, partitions);
  if (contradiction !== undefined) return { contradiction };
  await sql`
    update gpu_fabrics set version = ${version}, read_at = now(), read_answered = ${request}, failures = 0
    where host = ${host}`.execute(tx);
  await sql`
    delete from gpu_partitions p where p.host = ${host} and p.wanted_for is null and not ${mightBeActive}
      and not exists (select from ${reported} where told.id = p.id and told.addresses = p.addresses)`.execute(tx);
  await sql`update gpu_partitions p set reported = told."isActive" from ${reported}
    where p.host = ${host} and told.id = p.id and told.addresses = p.addresses`.execute(tx);
  await sql`update gpu_partitions p set reported = null where p.host = ${host} and ${mightBeActive}
    and not exists (select from ${reported} where told.id = p.id and told.addresses = p.addresses)`.execute(tx);
  const { rows: added } = await sql<{ id: string }>`
    insert into gpu_partitions (host, id, addresses, reported)
    select ${host}, told.id, told.addresses, told."isActive" from ${reported}
    on conflict do nothing returning id`.execute(tx);
  await sql`select gpu_partitions_follow(array[${host}]::text[])`.execute(tx);
  // One that was active for an instance before it was known is that instance's: it goes on running.
  await sql`
    update gpu_partitions set active_for = wanted_for
    where host = ${host} and reported and wanted_for is not null and id = any(${added.map(({ id }) => id)}::text[])`.execute(
    tx,
  );
  // What is to be deactivated and is not active is done.
  await sql`
    update gpu_partitions p set active_for = null, failures = 0
    where p.host = ${host} and p.reported is false and ${isToDeactivate}`.execute(tx);
  await sql`select gpu_pools_refit(array[${host}]::text[])`.execute(tx);
  // Every replica counts a host again that is marked as changed.
  if ((await capacityOf(tx, host)) !== before) await sql`update hosts set name = name where name = ${host}`.execute(tx);
  return "recorded";
}

/** Undefined: none. A board keeps the partitions that it has; ids of ones in use are never another set of GPUs. */
async function contradictionOf(
  tx: Transaction,
  host: string,
  partitions: readonly ReportedPartition[],
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; addresses: string[]; in_use: boolean }>`
    select p.id, p.addresses, p.wanted_for is not null or ${mightBeActive} as in_use
    from gpu_partitions p where p.host = ${host}`.execute(tx);
  if (rows.length > 0 && partitions.length === 0) return "It lists no partitions, although its board has some.";
  const addressesOf = new Map(partitions.map(({ id, addresses }) => [id, addresses.join()]));
  const changed = rows.find(
    (row) => row.in_use && (addressesOf.get(row.id) ?? row.addresses.join()) !== row.addresses.join(),
  );
  return changed && `Partition ${changed.id} has other GPUs than before, although it is in use.`;
}

/** What of it matters to launches. */
async function capacityOf(tx: Transaction, host: string): Promise<string | undefined> {
  const { rows } = await sql<{ capacity: string }>`
    select jsonb_build_array(f.version, (
      select jsonb_object_agg(p.model, p.fits) from gpu_pools p where p.host = f.host))::text as capacity
    from gpu_fabrics f where f.host = ${host}`.execute(tx);
  return rows[0]?.capacity;
}
