// What the helper of a host is asked about its NVSwitch partitions next, and what came of it. Used by the reconciler
// (reconciler/gpu-partitions.ts).
//
// Invariant: for whom a partition is activated is committed before the fabric manager is asked, and that it is not active
// any more only after it has answered; so partitions that might be active for somebody never share a GPU (table
// active_gpus). Whatever was asked and not answered is asked again.

import { sql } from "kysely";
import type { Transaction } from "../../../database/connect.ts";
import type { QuarantineReason } from "../../../rules/gpu-lifecycle.ts";
import { wakeReconciler } from "../../instances/wake.ts";
import { type GpuOfEvent, gpuOfEvent, recordGpuEvents } from "../gpu-events.ts";
import { recountPoolsOf } from "../pools.ts";
import { type Fabric, interval, keepFabric } from "./fabrics.ts";
import { isToActivate, isToDeactivate, mightBeActive } from "./partition-sql.ts";

export interface PartitionCall {
  readonly as: "activate" | "deactivate";
  readonly partition: string;
  /** For whom it is activated; null: it is deactivated. */
  readonly holder: string | null;
  /** In vain, before. */
  readonly failures: number;
}

export interface ReadingCall {
  readonly as: "read";
  /** The last request that the reading answers; a later one needs another. */
  readonly request: number;
  /** In vain, before. */
  readonly failures: number;
}

/** `rest`: there is nothing to do now. `lost`: another process has claimed the host. */
export type NextCall = PartitionCall | ReadingCall | { readonly as: "rest" } | { readonly as: "lost" };

/** `seconds`: how long the claim is kept. `period`: between two readings, in seconds. */
export async function nextCall(tx: Transaction, fabric: Fabric, seconds: number, period: number): Promise<NextCall> {
  if (!(await keepFabric(tx, fabric, seconds))) return { as: "lost" };
  const { host } = fabric;
  const { rows } = await sql<{ read: boolean; request: number; failures: number }>`
    select read_requests as request, read_due or read_at is null or read_at <= now() - ${interval(period)} as read, failures
    from gpu_fabrics where host = ${host} and due_at <= now()`.execute(tx);
  const [one] = rows;
  if (one?.read === true) return { as: "read", request: one.request, failures: one.failures };
  // What is in the way goes first.
  for (const as of ["deactivate", "activate"] as const) {
    const { rows: calls } = await sql<Omit<PartitionCall, "as">>`
      with next as (
        select p.id as next_id from gpu_partitions p
        where p.host = ${host} and p.next_try_at <= now() and ${as === "activate" ? isToActivate : isToDeactivate}
        order by p.next_try_at, p.id limit 1
      )
      update gpu_partitions set asked = ${as}, asked_at = now(), reported = null,
        active_for = ${as === "activate" ? sql`wanted_for` : sql`active_for`}
      from next where host = ${host} and id = next_id
      returning id as partition, failures, case when asked = 'activate' then wanted_for end as holder`.execute(tx);
    const [call] = calls;
    if (call !== undefined) return { as, ...call };
  }
  await sql`
    update gpu_fabrics f set leased_until = now(), due_at = (
      select least(f.read_at + ${interval(period)}, min(p.next_try_at) filter (where ${isToDeactivate} or ${isToActivate}))
      from gpu_partitions p where p.host = f.host having count(*) > 0)
    where f.host = ${host}`.execute(tx);
  return { as: "rest" };
}

/** The fabric manager has done it. False, with nothing changed: another process has claimed the host. */
export async function recordDone(
  tx: Transaction,
  fabric: Fabric,
  { as, partition }: PartitionCall,
  seconds: number,
): Promise<boolean> {
  if (!(await keepFabric(tx, fabric, seconds))) return false;
  await sql`
    update gpu_partitions set reported = ${as === "activate"}, failures = 0, next_try_at = now(),
      active_for = ${as === "activate" ? sql`active_for` : sql`null`}
    where host = ${fabric.host} and id = ${partition}`.execute(tx);
  // GPUs that are to be reset, or a validation, have waited for it.
  await wakeReconciler(tx, "gpus");
  return true;
}

export interface PartitionFailure {
  /** Until it is tried again. */
  readonly seconds: number;
  /** A host without one, and without partitions, is not tried again: helpers come with a start of the service. */
  readonly hasHelper: boolean;
  /** The partitions are to be read before. */
  readonly isReadBefore: boolean;
  /** What was found, if its GPUs are to be quarantined; undefined: not yet. */
  readonly evidence: string | undefined;
}

/**
 * It was asked in vain, and what it came to is not known. A host that could not be read is left. Returns how many GPUs
 * are quarantined: those that no instance has, of a partition that cannot be deactivated, or, of a host that cannot be
 * read, of every one that might be active.
 */
export async function recordInVain(
  tx: Transaction,
  fabric: Fabric,
  call: PartitionCall | ReadingCall,
  { seconds, hasHelper, isReadBefore, evidence }: PartitionFailure,
  lease: number,
): Promise<number> {
  if (!(await keepFabric(tx, fabric, lease))) return 0;
  const { host } = fabric;
  if (call.as === "read") {
    await sql`
      update gpu_fabrics f set failures = failures + 1, leased_until = now(),
        due_at = case when ${hasHelper} or exists (select from gpu_partitions p where p.host = f.host)
          then now() + ${interval(seconds)} end
      where f.host = ${host}`.execute(tx);
  } else {
    await sql`
      update gpu_partitions set failures = failures + 1, next_try_at = now() + ${interval(seconds)}
      where host = ${host} and id = ${call.partition}`.execute(tx);
    if (isReadBefore)
      await sql`update gpu_fabrics set read_requests = read_requests + 1 where host = ${host}`.execute(tx);
  }
  if (evidence === undefined || call.as === "activate") return 0;
  const which = call.as === "read" ? sql`p.wanted_for is null` : sql`p.id = ${call.partition}`;
  const states = call.as === "read" ? sql`'sanitizing'` : sql`'free', 'sanitizing', 'validating'`;
  const { rows } = await sql<{ gpu: GpuOfEvent }>`
    update gpus g set state = 'quarantined', state_since = now(), decided_by = null, attempts = 0, next_try_at = null,
      reason = ${"partition-active" satisfies QuarantineReason}, evidence = ${evidence}
    where g.host = ${host} and g.state in (${states}) and g.validation_id is null and exists (
      select from gpu_partitions p where p.host = g.host and g.address = any(p.addresses) and ${which}
        and (${call.as === "read"} or ${mightBeActive}))
    returning ${gpuOfEvent} as gpu`.execute(tx);
  if (rows.length === 0) return 0;
  await recountPoolsOf(tx, host);
  const gpus = rows.map(({ gpu }) => gpu);
  await recordGpuEvents(tx, "quarantined", gpus);
  return gpus.length;
}
