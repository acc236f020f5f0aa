// The SQL of simulated file systems: volumes that every host can attach. They are created with the first machine that
// names them (machine-store.ts) and stay when it is removed.

import { sql } from "kysely";
import type { FileSystemRef } from "../engine.ts";
import { faultsFor } from "./fault-store.ts";
import type { Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** Removes it, unless a fault applies and the call is not `forced`; returns those faults, or null. */
export async function deleteFileSystem(
  world: SimulatorDatabase,
  { id, host }: FileSystemRef,
  forced: boolean,
): Promise<readonly Fault[] | null> {
  const { rows } = await sql<{ faults: readonly Fault[] | null }>`
    with met as (select ${faultsFor("remove-file-system", { id: sql`${id}::text`, host: sql`${host ?? ""}::text` })} as faults),
    gone as (
      delete from simulated.file_systems using met where id = ${id} and (${forced} or met.faults is null)
    )
    select faults from met`.execute(world);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select of one row gave none");
  return row.faults;
}

/** How many bytes are used; undefined if it does not exist. */
export async function bytesUsedOf(world: SimulatorDatabase, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ bytes_used: number }>`
    select bytes_used from simulated.file_systems where id = ${id}`.execute(world);
  return rows[0]?.bytes_used;
}
