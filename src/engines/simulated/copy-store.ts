// The SQL of moving simulated machines. Of a machine on two hosts, `simulated.machines` has the one that calls are for, and
// `simulated.copies` the other: incomplete, or complete and halted. A call for a complete copy makes it the machine
// (`promoteCopy`).
//
// Invariant: a copy never becomes the machine while the machine runs on a host that responds, so two never run. Used by
// engine.ts and database.ts.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { EngineError, hostUnreachable, type MachineRef, type MachineSpec, type MoveProgress } from "../engine.ts";

/** A disk is copied in so many calls. */
export const copyCalls = 4;
const bytesPerGb = 1_000_000_000;

type Connection = Database | Transaction;

interface StoredMachine {
  readonly host: string;
  readonly isHalted: boolean;
  readonly isHostAlive: boolean;
  readonly storageGb: number;
}

/** Copies the next part to `spec.host`. Throws EngineError, and the database's error if a GPU is missing or taken. */
export function copyPart(db: Database, spec: MachineSpec, from: string, copiedBytes: number): Promise<MoveProgress> {
  return inTransaction(db, async (tx) => {
    const machine = await lockMachine(tx, spec.id);
    if (machine === undefined)
      throw new EngineError("refused", "no-such-machine", `Machine ${spec.id} is not on the host that it moves from.`);
    const totalBytes = machine.storageGb * bytesPerGb;
    if (machine.host === spec.host) return { isComplete: true, copiedBytes: totalBytes, totalBytes };
    if (machine.host !== from) {
      const message = `Machine ${spec.id} is on another host than the one that it moves from.`;
      throw new EngineError("refused", "machine-elsewhere", message);
    }
    if (!machine.isHostAlive) throw new EngineError("unavailable", hostUnreachable, "The host does not respond.");
    if (!machine.isHalted)
      throw new EngineError(
        "unavailable",
        "machine-running",
        `Machine ${spec.id} is not halted, and only then it moves.`,
      );
    const { rows } = await sql<{ copied: number }>`
      select copied_bytes as copied from simulated.copies where machine_id = ${spec.id} and host = ${spec.host}`.execute(
      tx,
    );
    const start = Math.min(copiedBytes, rows[0]?.copied ?? 0);
    const copied = Math.min(start + Math.ceil(totalBytes / copyCalls), totalBytes);
    await sql`
      insert into simulated.copies as c (machine_id, host, copied_bytes, gpu_addresses)
      values (${spec.id}, ${spec.host}, ${copied}, ${[...spec.gpuAddresses]}::text[])
      on conflict (machine_id, host) do update set copied_bytes = greatest(c.copied_bytes, excluded.copied_bytes)`.execute(
      tx,
    );
    const isComplete = copied === totalBytes;
    if (isComplete) await swap(tx, spec, machine);
    return { isComplete, copiedBytes: copied, totalBytes };
  });
}

/**
 * Makes the complete copy on that host the machine. False, with nothing changed, if there is none. Throws "BUG: …" if the
 * machine runs: then two would.
 */
export function promoteCopy(db: Database, copy: MachineRef): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const machine = await lockMachine(tx, copy.id);
    const { rows } = await sql`
      select from simulated.copies
      where machine_id = ${copy.id} and host = ${copy.host} and machine is not null for update`.execute(tx);
    if (rows.length === 0) return false;
    if (machine?.isHostAlive === true && !machine.isHalted)
      throw new Error(`BUG: machine ${copy.id} runs on ${machine.host}, and a call is for its copy on ${copy.host}`);
    if (machine === undefined) await restore(tx, copy);
    else await swap(tx, copy, machine);
    return true;
  });
}

/** Removes the copy on that host. Does nothing if there is none. */
export async function removeCopyOn(db: Connection, { id, host }: MachineRef): Promise<void> {
  await sql`delete from simulated.copies where machine_id = ${id} and host = ${host}`.execute(db);
}

async function lockMachine(tx: Transaction, id: string): Promise<StoredMachine | undefined> {
  const { rows } = await sql<StoredMachine>`
    select m.host, m.power = 'off' and m.settles_at <= now() as "isHalted", m.storage_gb as "storageGb",
      coalesce((select alive from simulated.hosts h where h.name = m.host), false) as "isHostAlive"
    from simulated.machines m where m.id = ${id} for update of m`.execute(tx);
  return rows[0];
}

/** The copy becomes the machine, halted and with its own GPUs, and the machine a copy. */
async function swap(tx: Transaction, copy: MachineRef, before: StoredMachine): Promise<void> {
  await sql`
    insert into simulated.copies (machine_id, host, copied_bytes, machine, gpu_addresses)
    select id, host, ${before.storageGb * bytesPerGb}, to_jsonb(m) || '{"power": "off", "settles_at": "-infinity"}',
      coalesce((select array_agg(address order by address) from simulated.gpu_uses where machine_id = m.id), '{}')
    from simulated.machines m where id = ${copy.id}`.execute(tx);
  await sql`delete from simulated.gpu_uses where machine_id = ${copy.id}`.execute(tx);
  await sql`
    update simulated.machines set host = ${copy.host}, power = 'off', settles_at = '-infinity' where id = ${copy.id}`.execute(
    tx,
  );
  await becomesMachine(tx, copy);
}

/** The copy becomes the machine again, which is gone. */
async function restore(tx: Transaction, copy: MachineRef): Promise<void> {
  await sql`
    insert into simulated.machines
    select (jsonb_populate_record(null::simulated.machines, machine)).* from simulated.copies
    where machine_id = ${copy.id} and host = ${copy.host}`.execute(tx);
  await becomesMachine(tx, copy);
}

async function becomesMachine(tx: Transaction, copy: MachineRef): Promise<void> {
  await sql`
    insert into simulated.gpu_uses (host, address, machine_id)
    select c.host, address, c.machine_id from simulated.copies c, unnest(c.gpu_addresses) as address
    where c.machine_id = ${copy.id} and c.host = ${copy.host}`.execute(tx);
  await removeCopyOn(tx, copy);
}
