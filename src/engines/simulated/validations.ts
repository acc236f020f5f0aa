// Validations of GPUs by simulated machines: what such a machine prints is decided when it starts, by the faults of the
// simulator; without one it passes at once. Used by engine.ts; console.ts prints it.

import { sql } from "kysely";
import { requestIn } from "../../gpus/validation/request.ts";
import type { MachineSpec } from "../engine.ts";
import type { SimulatedValidation } from "./console.ts";
import { countDown, faultsForValidation } from "./fault-store.ts";
import { effectOf, type Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** Whether the machine validates GPUs, by its user-data. */
export function validates({ guest }: MachineSpec): boolean {
  return requestIn(guest.userData) !== undefined;
}

/** Decides what it prints, if it validates GPUs. Repeated, it changes nothing. */
export async function beginValidation(world: SimulatorDatabase, machine: MachineSpec): Promise<void> {
  const request = requestIn(machine.guest.userData);
  if (request === undefined) return;
  const { rows } = await sql<{ faults: readonly Fault[] | null }>`
    select ${faultsForValidation(machine)} as faults from simulated.machines
    where id = ${machine.id} and validation is null`.execute(world);
  const [one] = rows;
  if (one === undefined) return;
  const met = one.faults === null ? [] : await countDown(world, one.faults);
  const [prints = "pass"] = met.flatMap((fault) => effectOf(fault).prints ?? []);
  const validation: SimulatedValidation = { nonce: request.nonce, gpus: request.gpus, prints };
  await sql`
    update simulated.machines set validation = ${JSON.stringify(validation)}::jsonb
    where id = ${machine.id} and validation is null`.execute(world);
}
