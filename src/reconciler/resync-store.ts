// The SQL of the full resync: the expected instances, and the marks that a resync leaves.

import { type Selectable, sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { type Group, joinedIds, readInPages } from "../database/pages.ts";
import { restoredSetting } from "../database/restored.ts";
import type { InstancesTable } from "../database/tables/instances.ts";
import { inTransaction } from "../database/transaction.ts";
import { endDowntime, type WasUnreachable } from "../rental/billing/downtime.ts";
import { recordEvents } from "../rental/events/record.ts";
import { hostLost } from "../rental/hosts/declare-lost.ts";
import { allHosts, type HostScope, isInScope } from "../rental/hosts/host-scope.ts";
import { instanceEvent } from "../rental/instances/instance-event.ts";
import { everyInstance } from "../rental/instances/past-instances.ts";
import { asUuid } from "../rental/uuid.ts";
import { finalState, type Health, type State } from "../rules/lifecycle.ts";

/** Instances in the same condition, as the resync compares them. */
export interface Expected extends Group {
  readonly state: State;
  readonly health: Health;
  readonly was_active: boolean;
  /** A check is scheduled: the reconciler works on them already. */
  readonly scheduled: boolean;
  /** Whether they are on one of the given hosts. */
  readonly there: boolean;
  /** Their hosts in the order of `ids`, joined; undefined: not asked for. */
  readonly hosts?: string | undefined;
}

/** Between the hosts of `Expected.hosts`; no name contains it. */
export const hostSeparator = "\n";

/**
 * The engine's instances on hosts of this scope that are not terminated, in pages; 100,000 of them are normal.
 * `withHosts`: with the host of each.
 */
export function expectedOn(
  db: Database,
  engine: string,
  hosts: readonly string[] = [],
  scope: HostScope = allHosts,
  withHosts = false,
): AsyncIterable<readonly Expected[]> {
  // Of some hosts they are found by host, and not among all by id.
  const found = sql`select * from instances
    where engine = ${engine} and state <> ${sql.lit(finalState)} and ${isInScope(scope, sql`host`)}`;
  const some = scope.only === undefined ? sql`` : sql`with found as materialized (${found})`;
  return readInPages(
    db,
    (above, limit) => sql<Expected>`
      ${some}
      select state, health, was_active, scheduled, there, ${joinedIds(sql`id`)} as ids${withHosts ? sql`, string_agg(host, ${sql.lit(hostSeparator)}) as hosts` : sql``} from (
        select id, host, state, health, active_at is not null as was_active, next_look_at is not null as scheduled,
          host = any(${hosts}::text[]) as there
        from ${scope.only === undefined ? sql`(${found})` : sql`found`} known where id > ${above} order by id limit ${limit}
      ) page group by state, health, was_active, scheduled, there`,
  );
}

/** Whether a file system exists there, including those still to be removed. */
export async function hasFileSystemsOn(db: Database, engine: string, host: string | undefined): Promise<boolean> {
  const { rows } = await sql`
    select 1 from file_systems where engine = ${engine} and lost_at is null and (${host ?? null}::text is null or host = ${host ?? null})
    union all
    select 1 from removed_file_systems
    where engine = ${engine} and (${host ?? null}::text is null or host = ${host ?? null})
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether this instance ended because its machine was gone, at any time in the past. */
export async function wasLost(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${everyInstance} known where id = ${asUuid(id)} and failure_code = ${machineLost}`.execute(db);
  return rows.length > 0;
}

/** Those of these ids whose instance ended with its host. Ids that are no UUID are of no instance. */
export async function endedWithTheirHost(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from ${everyInstance} known where id = any(${ids.map(asUuid)}::uuid[]) and failure_code = ${hostLost}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The failure code of an instance whose machine is gone. */
export const machineLost = "machine-lost";

/**
 * Whether this id is unknown to a database that was restored, and whose unknown machines an operator has not accepted
 * since (database/restored.ts).
 */
export async function isUnknownSinceRestore(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from settings
    where name = ${restoredSetting} and not exists (select from ${everyInstance} known where id = ${asUuid(id)})`.execute(
    db,
  );
  return rows.length > 0;
}

/** Whether an instance or a validation of this id should have a machine. An id that is not a UUID belongs to none. */
export async function isExpected(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
      select 1 from instances where id = ${asUuid(id)} and state <> ${sql.lit(finalState)}
      union all select 1 from gpu_validations where id = ${asUuid(id)}`.execute(db);
  return rows.length > 0;
}

/**
 * Sets the health of the instances, and writes an event for each that changed, in one transaction. Those reachable
 * again become due, because they might have changed meanwhile, and their downtime ends. Those unreachable have been so
 * since their host is; on a host that is reached, such as an evacuated one, that is no outage. Returns how many changed.
 */
export async function recordHealth(db: Database, ids: readonly string[], health: Health): Promise<number> {
  if (ids.length === 0) return 0;
  return inTransaction(db, async (tx) => {
    const { rows: changing } = await sql<WasUnreachable>`
      select id, is_down from instances
      where id = any(${ids}::uuid[]) and state <> ${sql.lit(finalState)} and health <> ${health}
      order by id for update`.execute(tx);
    if (health === "ok") await endDowntime(tx, changing);
    const { rows } = await sql<Selectable<InstancesTable>>`
      update instances set health = ${health},
        unreachable_since = case when ${health} = 'ok' then null
          else (select h.unreachable_since from hosts h where h.name = instances.host) end,
        is_down = false,
        next_look_at = case when ${health} = 'ok' then now() else next_look_at end
      where id = any(${changing.map(({ id }) => id)}::uuid[])
      returning *`.execute(tx);
    const word = health === "ok" ? "reachable" : "unreachable";
    await recordEvents(
      tx,
      rows.map((row) => instanceEvent(row, word)),
    );
    return rows.length;
  });
}

/**
 * Of instances that are unreachable and stay so, while their host changes: an evacuated host that is not reached any
 * more makes it an outage for them, and an unreachable host that is evacuated now (`evacuated`: the names) ends it.
 */
export async function alignOutages(db: Database, engine: string, evacuated: readonly string[] = []): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<WasUnreachable>`
      select id, is_down from instances
      where engine = ${engine} and host = any(${evacuated}::text[]) and unreachable_since is not null
        and state <> ${sql.lit(finalState)} order by id for update`.execute(tx);
    await endDowntime(tx, rows);
    const ids = rows.map(({ id }) => id);
    await sql`update instances set unreachable_since = null, is_down = false where id = any(${ids}::uuid[])`.execute(
      tx,
    );
    await sql`
      with beginning as materialized (
        select i.id, h.unreachable_since from instances i join hosts h on h.name = i.host
        where h.engine = ${engine} and h.unreachable_since is not null and i.unreachable_since is null
          and i.health = ${"unreachable" satisfies Health} and i.state <> ${sql.lit(finalState)}
        order by i.id for update of i
      )
      update instances set unreachable_since = beginning.unreachable_since
      from beginning where instances.id = beginning.id`.execute(tx);
  });
}
