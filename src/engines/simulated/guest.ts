// What agents in simulated guests report: a plausible load that follows from the machine and the time alone, so that
// nothing is stored and every replica reads the same. Used by engine.ts.

import { createHash } from "node:crypto";
import { sql } from "kysely";
import { type GuestMetric, guestLines } from "../../rules/guest-metrics.ts";
import type { MachineRef } from "../engine.ts";
import { faultsForGuests } from "./fault-store.ts";
import type { Fault, GuestManner } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** A running machine whose agent reports. */
export interface ReportingGuest {
  readonly id: string;
  readonly memoryGib: number;
  readonly storageGb: number;
  /** GiB of memory of each GPU. */
  readonly gpus: readonly number[];
  /** Since 1970, by the database's clock. */
  readonly seconds: number;
  readonly faults: readonly Fault[] | null;
}

/** Those of the machines that run, on hosts that respond. */
export async function readGuests(
  world: SimulatorDatabase,
  machines: readonly MachineRef[],
): Promise<readonly ReportingGuest[]> {
  const { rows } = await sql<ReportingGuest>`
    select m.id, m.memory_gib as "memoryGib", m.storage_gb as "storageGb",
      coalesce((select jsonb_agg(g.memory_gib order by g.address)
        from simulated.gpu_uses u join simulated.gpus g using (host, address) where u.machine_id = m.id), '[]') as gpus,
      extract(epoch from now())::float8 as seconds, ${faultsForGuests} as faults
    from simulated.machines m join simulated.hosts h on h.name = m.host
    where m.id = any(${machines.map(({ id }) => id)}::uuid[]) and h.alive and m.power = 'on' and m.settles_at <= now()`.execute(
    world,
  );
  return rows;
}

/** The line of the agent, as it is sent: JSON in UTF-8. Undefined: it sends none. */
export function guestLine(
  { id, memoryGib, storageGb, gpus, seconds }: ReportingGuest,
  manners: readonly GuestManner[],
  seed: number,
): Uint8Array | undefined {
  const sends = manners.find((manner) => manner.sends !== undefined)?.sends;
  if (sends === "nothing") return undefined;
  if (sends === "garbage") return Uint8Array.from({ length: 1024 }, (_, at) => (at * 7 + 128) % 256);
  const slot = Math.floor(seconds / guestLines.everySeconds);
  const isIdle = manners.some((manner) => manner.isIdle);
  const digest = createHash("sha256").update(`${seed}\n${id}`).digest();
  /** 0 to 1: the same for the machine. */
  const own = (at: number) => digest.readUInt16BE(2 * at) / 65_536;
  /** 0 to 1: another one at each time. */
  const noise = (at: number) => mixed(digest.readUInt32BE(0) + slot * 31 + at * 7919);
  const load = isIdle ? 0 : loadAt(seconds, own);
  const gpuValues = gpus.map((gib, at): Partial<Record<GuestMetric, number>> => {
    const busy = Math.max(0, Math.min(100, load * 100 - 6 * noise(at)));
    return {
      gpu_utilization: round(isIdle ? 0 : busy),
      gpu_memory_used: Math.round(gib * 1024 * (isIdle ? 0.01 : 0.55 + 0.35 * own(1) + 0.02 * noise(at + 20))),
      gpu_memory_size: gib * 1024,
      gpu_temperature: Math.round(31 + 38 * load + 4 * own(2) + 2 * noise(at + 40)),
      gpu_power: Math.round(70 + 480 * load + 25 * noise(at + 60)),
      gpu_ecc_errors: 0,
    };
  });
  const values: Partial<Record<GuestMetric, number>> = {
    cpu_utilization: round(4 + 30 * load + 8 * noise(100)),
    memory_used: Math.round(memoryGib * 1024 * (0.08 + 0.4 * load * (0.5 + own(3)) + 0.02 * noise(101))),
    memory_size: memoryGib * 1024,
    disk_used: Math.round(storageGb * 954 * (0.06 + 0.5 * own(4))),
    disk_size: storageGb * 954,
  };
  const xids = manners.flatMap(({ xid }) => xid ?? []);
  const line = { v: guestLines.version, n: slot, ...values, gpus: gpuValues, ...(xids.length > 0 && { xids }) };
  return Buffer.from(JSON.stringify(line));
}

/** Hours of training with pauses between, by the machine's own rhythm: 0 to 1. */
function loadAt(seconds: number, own: (at: number) => number): number {
  const period = 2400 + 7200 * own(5);
  const phase = (seconds / period + own(6)) % 1;
  const isPause = phase > 0.82 + 0.12 * own(7);
  return isPause ? 0.04 : 0.9 + 0.08 * Math.sin((seconds / 97) * (1 + own(8)));
}

function round(value: number): number {
  return Math.round(value * 2) / 2;
}

/** Spreads a number evenly over 0 to 1. */
function mixed(number: number): number {
  let x = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}
