// Hosts that are verified to be off, and what that allows: a file system on shared storage that an instance of a lost
// host used may be attached to another one. Used by the control interface (fence), declare-lost.ts and lost-hosts.ts.
//
// Invariant: nothing starts elsewhere while its first copy may still run. Instances end with a lost host, which perhaps
// still runs them and writes: so their shared file systems are blocked until the host is verified to be off, has
// returned and is clean, or is deleted, by which its operator says that it is gone.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { RentalError } from "../errors.ts";

/** Throws RentalError conflict unless its engine does not reach the host: only such a one is turned off. */
export function refuseFencing({ name, engine, unreachableSince }: Host): void {
  if (unreachableSince !== null) return;
  throw new RentalError("conflict", {
    message: `Host ${name} is not fenced: its engine ${engine} reaches it.`,
    suggestion: "Cordon or drain it. Only a host that its engine cannot reach can be fenced.",
  });
}

/**
 * Records that the host is off since `at`, when the command that turned it off began. Throws RentalError
 * unknown-object, and conflict if its engine has reached it since.
 */
export async function recordOff(tx: Transaction, name: string, at: Date): Promise<Host> {
  await sql`select from hosts where name = ${name} for update`.execute(tx);
  const host = await readHost(tx, name);
  refuseFencing(host);
  if (host.unreachableSince !== null && host.unreachableSince > at) {
    throw new RentalError("conflict", {
      message: `Host ${name} is not verified to be off: its engine ${host.engine} reached it after the command began.`,
      suggestion: "Find out what turned it on, and fence it again.",
    });
  }
  await sql`update hosts set off_since = ${at} where name = ${name}`.execute(tx);
  if (host.mode === lostMode) await unblockFileSystems(tx, name);
  return readHost(tx, name);
}

/**
 * Blocks what instances of the lost host used on shared storage that serves one instance at a time, unless the host is
 * verified to be off. What another lost host blocks already stays blocked by that one, which may run the instance: on this
 * one it is held (moving/held.ts). The caller has locked the host; `instances`: their ids.
 */
export async function blockFileSystems(tx: Transaction, host: Host, instances: readonly string[]): Promise<void> {
  if (host.offSince !== null || instances.length === 0) return;
  await sql`
    update file_systems f set blocked_by = ${host.name}
    where f.host is null and f.blocked_by is null and f.attached_to && ${[...instances]}::uuid[] and not exists (
      select from hosts h where h.engine = f.engine and h.region = f.region and h.multi_attach)`.execute(tx);
}

/** What the lost host used can be attached again. */
export async function unblockFileSystems(tx: Transaction, host: string): Promise<void> {
  await sql`update file_systems set blocked_by = null where blocked_by = ${host}`.execute(tx);
}
