// The SQL of simulated machines. Each operation is one statement: it looks whether a behaviour meets the call and whether
// the host is alive, has its effect only if nothing is in the way, and gives the machine back as it is then.
//
// A machine's state is a function of its row and the database's clock, so nothing has to happen in a process for a
// machine to become ready, and a crash of the server changes nothing.

import { type RawBuilder, sql } from "kysely";
import type { MachineRef, MachineReport, MachineSpec } from "../engine.ts";
import { behavioursFor } from "./behaviour-store.ts";
import type { Behaviour, Operation } from "./behaviours.ts";
import type { SimulatedGuest } from "./console.ts";
import type { World } from "./schema.ts";

/** A machine as its row is at this moment. */
export interface SeenMachine {
  readonly id: string;
  readonly host: string;
  readonly power: MachineReport["power"];
  readonly usable: boolean;
  readonly ip: string;
  /** Milliseconds until it is ready or halted; null: it is, or never will be. */
  readonly settles_in_ms: number | null;
}

export interface Answer {
  /** Null where none meets the call. */
  readonly behaviours: readonly Behaviour[] | null;
  /** Null: the world has no such host. */
  readonly alive: boolean | null;
  /** As it is after the effect; null where there is none, or where the effect was prevented. */
  readonly machine: SeenMachine | null;
}

/** `forced`: the behaviours were dealt with, go on. `seconds`: how long it takes; Infinity: for ever. */
export interface Manner {
  readonly forced: boolean;
  readonly seconds: number;
}

/** Makes the machine unless it is there. Rejects with the database's error where a GPU is missing or taken. */
export async function insertMachine(world: World, spec: MachineSpec, manner: Manner): Promise<Answer> {
  const { guest } = spec;
  return answer(world, "create", spec, manner, {
    effect: sql`
      insert into simulated.machines as m (id, host, account_id, generation, vcpus, memory_gib, storage_gb, image,
        hostname, login_user, ssh_keys, password_login, env_names, file_systems)
      select ${spec.id}::uuid, ${spec.host}, ${spec.accountId}::uuid, ${spec.generation}::bigint, ${spec.vcpus}::integer,
        ${spec.memoryGib}::integer, ${spec.storageGb}::integer, ${spec.image}, ${guest.hostname}, ${guest.loginUser},
        ${[...guest.sshKeys]}::text[], ${guest.password !== undefined}::boolean, ${Object.keys(guest.envVars)}::text[],
        ${guest.fileSystems.map((one) => one.name)}::text[]
      from call where call.clear
      on conflict do nothing
      returning ${seen}`,
    besides: sql`, used as (
      insert into simulated.gpu_uses (host, address, machine_id)
      select effect.host, unnest(${[...spec.gpuAddresses]}::text[]), effect.id from effect
    ), attached as (
      insert into simulated.file_systems (id, name, size_gb)
      select volume.* from effect, unnest(${guest.fileSystems.map((one) => one.id)}::uuid[],
        ${guest.fileSystems.map((one) => one.name)}::text[],
        ${guest.fileSystems.map((one) => one.sizeGb)}::integer[]) as volume
      on conflict (id) do nothing)`,
  });
}

/** Turns it on where it is off. */
export function startMachine(world: World, machine: MachineRef, manner: Manner): Promise<Answer> {
  return answer(world, "start", machine, manner, { effect: turn("on", machine, manner) });
}

/** Turns it off where it is on. */
export function stopMachine(world: World, machine: MachineRef, manner: Manner): Promise<Answer> {
  return answer(world, "stop", machine, manner, { effect: turn("off", machine, manner) });
}

/** Removes it. The answer's machine is what was removed. */
export function deleteMachine(world: World, machine: MachineRef, manner: Manner): Promise<Answer> {
  return answer(world, "remove", machine, manner, {
    effect: sql`delete from simulated.machines m using call where m.id = ${machine.id} and call.clear returning ${seen}`,
  });
}

/** Reads it, for `inspect` or for another operation that changes nothing. */
export function readMachine(
  world: World,
  machine: MachineRef,
  manner: Manner,
  operation: Operation = "inspect",
): Promise<Answer> {
  return answer(world, operation, machine, manner);
}

/** What is known of its guest; undefined where there is no such machine. */
export async function readGuest(world: World, machine: MachineRef): Promise<SimulatedGuest | undefined> {
  const { rows } = await sql<SimulatedGuest>`
    select hostname, image, power, case when isfinite(settles_at) then settles_at end as settles_at,
      settles_at <= now() as settled
    from simulated.machines where id = ${machine.id}`.execute(world);
  return rows[0];
}

/** Every machine on a live host, and what stands in the way, in one statement. The first row has no machine. */
export async function readAll(world: World): Promise<{
  behaviours: readonly Behaviour[] | null;
  deadHosts: readonly string[];
  machines: readonly SeenMachine[];
}> {
  type Row = SeenMachine & { behaviours: Behaviour[] | null; dead: string[] | null };
  const { rows } = await sql<Row>`
    select null::uuid as id, null as host, null as power, null as usable, null as ip, null::float8 as settles_in_ms,
      ${behavioursFor("list")} as behaviours,
      coalesce((select jsonb_agg(name) from simulated.hosts where not alive), '[]') as dead
    union all
    select ${seen}, null, null from simulated.machines m join simulated.hosts h on h.name = m.host where h.alive`.execute(
    world,
  );
  const [first, ...machines] = rows;
  if (first === undefined) throw new Error("BUG: a select without from gave no row");
  return { behaviours: first.behaviours, deadHosts: first.dead ?? [], machines };
}

/** The machines that are still starting or halting. */
export async function readUnsettled(world: World): Promise<SeenMachine[]> {
  const { rows } = await sql<SeenMachine>`
    select ${seen} from simulated.machines m where settles_at > now() and settles_at < 'infinity'`.execute(world);
  return rows;
}

const seen = sql`
  m.id, m.host,
  case when m.settles_at > now() then case m.power when 'on' then 'starting' else 'running' end
    else case m.power when 'on' then 'running' else 'halted' end end as power,
  m.power = 'on' and m.settles_at <= now() as usable,
  host(m.ip) as ip,
  case when m.settles_at > now() and m.settles_at < 'infinity'
    then extract(epoch from m.settles_at - now())::float8 * 1000 end as settles_in_ms`;

/** A repeated call changes nothing: the time a boot began is the first call's. */
function turn(power: "on" | "off", machine: MachineRef, { seconds }: Manner): RawBuilder<unknown> {
  const taking = Number.isFinite(seconds) ? seconds : null;
  return sql`
    update simulated.machines m set
      settles_at = case when m.power = ${power} then m.settles_at
        else coalesce(now() + make_interval(secs => ${taking}::float8), 'infinity') end,
      power = ${power}
    from call where m.id = ${machine.id} and call.clear
    returning ${seen}`;
}

/**
 * The frame of every operation. `call.clear` says that the effect may happen. Where it did not happen, or had nothing to
 * do, the machine is read as it was when the statement began.
 */
async function answer(
  world: World,
  operation: Operation,
  machine: MachineRef,
  { forced }: Manner,
  parts?: { effect: RawBuilder<unknown>; besides?: RawBuilder<unknown> },
): Promise<Answer> {
  const stored = sql`(select to_jsonb(one) from (select ${seen} from simulated.machines m where m.id = ${machine.id}) as one)`;
  const { rows } = await sql<Answer>`
    with met as (
      select ${behavioursFor(operation, machine)} as behaviours,
        (select alive from simulated.hosts where name = ${machine.host}) as alive
    ), call as (
      select behaviours, alive, (${forced} or behaviours is null) and coalesce(alive, false) as clear from met
    )${parts === undefined ? sql`` : sql`, effect as (${parts.effect})${parts.besides ?? sql``}`}
    select call.behaviours, call.alive,
      ${parts === undefined ? stored : sql`coalesce((select to_jsonb(effect) from effect), ${stored})`} as machine
    from call`.execute(world);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select of one row gave none");
  return row;
}
