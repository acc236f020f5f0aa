// A customer reports that GPUs of an instance are faulty. Used by the control interface.
//
// Invariant: a report changes nothing that the instance does. Its GPUs are quarantined when it ends, with the customer's
// words as evidence, under the locks of the instance and its host. An account reports for so many instances in 24 hours,
// so that it cannot take all GPUs out of service; the credit is given once for each instance, and never for time that
// was credited before.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { defaultFaultReports } from "../../rules/fault-reports.ts";
import type { QuarantineReason } from "../../rules/gpu-lifecycle.ts";
import { holdsCapacity } from "../../rules/lifecycle.ts";
import { giveCredits } from "../billing/credits.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Instance } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import { lockOwn } from "../instances/instance-store.ts";
import { checkReason } from "../instances/reason.ts";
import type { Principal, Service } from "../service.ts";

export interface FaultReport {
  readonly id: string;
  /** What is wrong, in one line. */
  readonly text: string;
  /** The GPU, counted from 0 in the order of the guest's driver. Undefined: all of the instance. */
  readonly gpu: number | undefined;
}

export interface ReportedFault {
  readonly instanceId: string;
  /** When a fault of the instance was reported first. */
  readonly reportedAt: Date;
  /** How many of its GPUs are to be quarantined, by this report and earlier ones. */
  readonly gpus: number;
  /** Seconds of its bill that this report credited. */
  readonly creditedSeconds: number;
}

/** Characters of what an instance's reports say of a GPU. */
const mostEvidence = 4000;

const reported = "reported" satisfies QuarantineReason;

/**
 * Its GPUs, or this one, are quarantined when the instance ends. Repeated, its text is added; an operator's reason
 * stays. Throws RentalError unknown-object, invalid-parameters (`text`, `gpu`), conflict (it has no GPUs, has never been
 * active, or has ended), quota-exceeded (`gpu_fault_reports`).
 */
export async function reportFault(
  tx: Transaction,
  service: Service,
  principal: Principal,
  { id, text, gpu }: FaultReport,
): Promise<ReportedFault> {
  const problem = checkReason(text);
  if (problem !== undefined) throw invalid("text", problem);
  const instance = await lockOwn(tx, service, principal, id);
  const addresses = addressesOf(instance, gpu);
  const { perDay, creditMinutes } = service.faultReports ?? defaultFaultReports;
  const isFirst = await noteReport(tx, instance, perDay);
  await sql`select from hosts where name = ${instance.host} for update`.execute(tx);
  const words = `Instance ${instance.id}: ${text}`;
  // A later report adds to what was said before.
  await sql`
    update gpus set quarantine_next = coalesce(quarantine_next, ${reported}), evidence = case
      when evidence is null or quarantine_next is null then ${words}
      when position(${words} in evidence) > 0 then evidence
      else left(evidence || chr(10) || ${words}, ${mostEvidence}) end
    where host = ${instance.host} and instance_id = ${instance.id} and address = any(${[...addresses]}::text[])`.execute(
    tx,
  );
  const creditedSeconds = isFirst && creditMinutes > 0 ? await credit(tx, instance, creditMinutes) : 0;
  const row = await tx.selectFrom("instances").selectAll().where("id", "=", instance.id).executeTakeFirstOrThrow();
  const told = instanceEvent(row, "fault_reported");
  await recordEvents(tx, [{ ...told, data: { ...told.data, fault: { gpu: gpu ?? null, text } } }]);
  const { rows } = await sql<{ gpus: number }>`
    select count(*)::integer as gpus from gpus where instance_id = ${instance.id} and quarantine_next is not null`.execute(
    tx,
  );
  const reportedAt = row.fault_reported_at;
  if (reportedAt === null) throw new Error("BUG: a report was not noted");
  return { instanceId: instance.id, reportedAt, gpus: rows[0]?.gpus ?? 0, creditedSeconds };
}

function addressesOf({ id, state, activeAt, gpuAddresses }: Instance, gpu: number | undefined): readonly string[] {
  const refused = (message: string, suggestion: string) => new RentalError("conflict", { message, suggestion });
  if (gpuAddresses.length === 0) {
    throw refused(`The instance ${id} has no GPUs.`, "Report faults of instances with GPUs only.");
  }
  if (!holdsCapacity[state]) {
    throw refused(`The instance ${id} has ended, and its GPUs are not its own any more.`, "Contact your provider.");
  }
  if (activeAt === null) {
    throw refused(`The instance ${id} has never been active.`, "Wait until it is active, or terminate it.");
  }
  if (gpu === undefined) return gpuAddresses;
  const address = gpuAddresses[gpu];
  if (address === undefined) throw invalid("gpu", `Give a number from 0 to ${gpuAddresses.length - 1}.`);
  return [address];
}

/** Whether it is the first of the instance. Two of an account at once wait for each other. */
async function noteReport(tx: Transaction, { id, accountId }: Instance, perDay: number): Promise<boolean> {
  const { rows: before } = await sql`
    select from instances where id = ${id} and fault_reported_at is not null`.execute(tx);
  if (before.length > 0) return false;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fault reports ${accountId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ used: number }>`
    select count(*)::integer as used from instances
    where account_id = ${accountId} and fault_reported_at > now() - interval '24 hours'`.execute(tx);
  const used = rows[0]?.used ?? 0;
  if (used >= perDay) {
    throw new RentalError("quota-exceeded", { what: "gpu_fault_reports", limit: perDay, used, requested: 1 });
  }
  await sql`update instances set fault_reported_at = now() where id = ${id}`.execute(tx);
  return true;
}

/** Credits the last minutes; gives the seconds. What is unreachable is credited or paused as downtime. */
async function credit(tx: Transaction, { id, health }: Instance, minutes: number): Promise<number> {
  if (health !== "ok") return 0;
  await giveCredits(
    tx,
    "gpu-fault",
    sql`(
      select ${id}::uuid as instance_id, billing_now() as ended_at,
        billing_now() - make_interval(mins => ${minutes}) as began_at)`,
  );
  const { rows } = await sql<{ seconds: number }>`
    select seconds::float8 as seconds from billing_credits where instance_id = ${id} and given_at = billing_now()`.execute(
    tx,
  );
  return rows[0]?.seconds ?? 0;
}
