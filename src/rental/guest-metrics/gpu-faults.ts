// Faults of GPUs that guests report by XIDs that mean hardware (rules/xids.ts), with an event for each. Used by the
// collector (reconciler/guest-metrics/), and read by the control interface.
//
// Invariant: a fault is one XID of one GPU of an instance. Its event is recorded with its row, so once, however often,
// by however many servers it is reported; and again only after a day without a report, which is another fault.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type HardwareXid, hardwareXidNumbered } from "../../rules/xids.ts";
import { recordEvents } from "../events/record.ts";
import { gpuFaultEvent, type Told, told } from "../instances/instance-event.ts";
import type { ReportedXid } from "./sample.ts";

export interface GpuFault {
  readonly gpu: number;
  readonly xid: HardwareXid;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface InstanceFault extends ReportedXid {
  readonly instanceId: string;
}

/** A fault that was not reported for so long and is again is another one. */
const quietHours = 24;
/** The last report is not more exact: an agent repeats it with each sample. */
const exactMinutes = 15;

/** Records the faults that are new. Returns how many. Reports of instances that are gone are ignored. */
export async function recordGpuFaults(tx: Transaction, faults: readonly InstanceFault[]): Promise<number> {
  if (faults.length === 0) return 0;
  const { rows } = await sql<Told & { gpu: number; xid: number }>`
    with reported as (
      select distinct on (given.instance_id, given.gpu, given.xid) given.* from unnest(
        ${faults.map(({ instanceId }) => instanceId)}::uuid[],
        ${faults.map(({ gpu }) => gpu)}::smallint[],
        ${faults.map(({ xid }) => xid)}::integer[]) as given (instance_id, gpu, xid)
      join instances i on i.id = given.instance_id
      order by 1, 2, 3
    ), written as (
      insert into instance_gpu_faults as f (instance_id, gpu, xid)
      select instance_id, gpu, xid from reported
      on conflict (instance_id, gpu, xid) do update set last_at = now(),
        first_at = case when f.last_at > now() - make_interval(hours => ${quietHours}) then f.first_at else now() end
      where f.last_at < now() - make_interval(mins => ${exactMinutes})
      returning *
    )
    select ${told("i")}, w.gpu, w.xid from written w join instances i on i.id = w.instance_id
    where w.first_at = now()
    order by i.id, w.gpu, w.xid`.execute(tx);
  await recordEvents(
    tx,
    rows.flatMap((row) => {
      const xid = hardwareXidNumbered(row.xid);
      return xid === undefined ? [] : [gpuFaultEvent(row, row.gpu, xid)];
    }),
  );
  return rows.length;
}

/** The faults of an instance that were reported since then, the last one first. */
export async function gpuFaultsOf(db: Database, instanceId: string, since: Date): Promise<GpuFault[]> {
  const rows = await db
    .selectFrom("instance_gpu_faults")
    .selectAll()
    .where("instance_id", "=", instanceId)
    .where("last_at", ">=", since)
    .orderBy("last_at", "desc")
    .orderBy("gpu")
    .orderBy("xid")
    .execute();
  return rows.flatMap(({ gpu, xid, first_at: firstAt, last_at: lastAt }) => {
    const known = hardwareXidNumbered(xid);
    return known === undefined ? [] : [{ gpu, xid: known, firstAt, lastAt }];
  });
}
