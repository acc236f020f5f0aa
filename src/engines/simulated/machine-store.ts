// The SQL of simulated machines. Each operation is one statement for any number of machines: it checks for faults and
// whether the host is alive, has its effect only if neither prevents it, and returns the machine as it is then.
//
// A machine's state is a function of its row and the database's clock, so a machine becomes ready without any process,
// and a crash of the server changes nothing.

import { type RawBuilder, sql } from "kysely";
import { type Group, idsOf, joinedIds, readInPages } from "../../database/pages.ts";
import type { FaultOperation } from "../../rules/simulator-faults.ts";
import type { GuestFile, Inbound, ListedMachine, MachineRef, MachineReport, MachineSpec } from "../engine.ts";
import type { SimulatedGuest } from "./console.ts";
import { faultsFor, faultsForReports } from "./fault-store.ts";
import type { Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";
import type { SimulatedMachine } from "./shell.ts";

export interface SeenMachine {
  readonly id: string;
  readonly host: string;
  readonly power: MachineReport["power"];
  readonly usable: boolean;
  readonly ip: string;
  /** Milliseconds until it is ready or halted; null: it is, or never will be. */
  readonly settles_in_ms: number | null;
  /** The faults that apply to the report of its change, or null. */
  readonly reports: readonly Fault[] | null;
}

export interface Answer {
  /** Null: none applies to the call. */
  readonly faults: readonly Fault[] | null;
  /** Null: the host does not exist. */
  readonly alive: boolean | null;
  /** After the effect; null if it does not exist or the effect was prevented. */
  readonly machine: SeenMachine | null;
  /** Its secrets are pending. */
  readonly untold?: boolean;
}

/** `forced`: the faults were handled, continue. `seconds`: how long it takes; Infinity: forever. */
export interface Manner {
  readonly forced: boolean;
  readonly seconds: number;
}

export interface Call<M extends MachineRef = MachineRef> {
  readonly machine: M;
  readonly manner: Manner;
}

/** Creates the machines that do not exist. Rejects with the database's error if a GPU is missing or taken. */
export async function insertMachines(world: SimulatorDatabase, calls: readonly Call<MachineSpec>[]): Promise<Answer[]> {
  const specs = calls.map(({ machine }) => machine);
  const gpus = specs.flatMap(({ id, gpuAddresses }) => gpuAddresses.map((address) => ({ id, address })));
  const volumes = specs.flatMap(({ id, guest }) => guest.fileSystems.map((volume) => ({ id, volume })));
  return answers(world, "create", calls, {
    effect: sql`
      insert into simulated.machines as m (id, host, account_id, generation, vcpus, memory_gib, storage_gb, image,
        hostname, login_user, ssh_keys, password_login, env_names, file_systems, mount_points, user_data_bytes,
        inbound)
      select call.id, call.host, t.account_id, t.generation, t.vcpus, t.memory_gib, t.storage_gb, t.image,
        t.hostname, t.login_user, t.ssh_keys, t.password_login, t.env_names, t.file_systems, t.mount_points,
        t.user_data_bytes, t.inbound
      from call join json_populate_recordset(null::simulated.machines, ${JSON.stringify(specs.map(rowFor))}::json) as t
        on t.id = call.id
      where call.clear
      on conflict do nothing
      returning ${seen}`,
    besides: sql`, used as (
      insert into simulated.gpu_uses (host, address, machine_id)
      select effect.host, gpu.address, effect.id from effect
      join unnest(${gpus.map(({ id }) => id)}::uuid[], ${gpus.map(({ address }) => address)}::text[])
        as gpu (machine, address) on gpu.machine = effect.id
    ), attached as (
      insert into simulated.file_systems (id, name, size_gb)
      select volume.id, volume.name, volume.size_gb from effect
      join unnest(${volumes.map(({ id }) => id)}::uuid[], ${volumes.map(({ volume }) => volume.id)}::uuid[],
        ${volumes.map(({ volume }) => volume.name)}::text[],
        ${volumes.map(({ volume }) => volume.sizeGb)}::integer[]) as volume (machine, id, name, size_gb)
        on volume.machine = effect.id
      on conflict (id) do nothing)`,
  });
}

/** What is stored of a machine: of its secrets only their presence, size and names. */
function rowFor({ guest, ...spec }: MachineSpec) {
  return {
    id: spec.id,
    account_id: spec.accountId,
    generation: spec.generation,
    vcpus: spec.vcpus,
    memory_gib: spec.memoryGib,
    storage_gb: spec.storageGb,
    image: spec.image,
    hostname: guest.hostname,
    login_user: guest.loginUser,
    ssh_keys: guest.sshKeys,
    password_login: guest.password !== undefined,
    env_names: Object.keys(guest.envVars),
    file_systems: guest.fileSystems.map((one) => one.name),
    mount_points: guest.fileSystems.map((one) => one.mountPoint),
    user_data_bytes: Buffer.byteLength(guest.userData ?? ""),
    inbound: spec.inbound ?? null,
  };
}

export function startMachines(world: SimulatorDatabase, calls: readonly Call[]): Promise<Answer[]> {
  return answers(world, "start", calls, { effect: turn("on") });
}

export function stopMachines(world: SimulatorDatabase, calls: readonly Call[]): Promise<Answer[]> {
  return answers(world, "stop", calls, { effect: turn("off") });
}

/** Stores the allowed inbound traffic. */
export async function setInbound(world: SimulatorDatabase, call: Call, inbound: Inbound): Promise<Answer> {
  const [answer] = await answers(world, "set-inbound", [call], {
    effect: sql`
      update simulated.machines m set inbound = ${inbound === undefined ? null : JSON.stringify(inbound)}::jsonb
      from call where m.id = call.id and call.clear and ${isAddressed} returning ${seen}`,
  });
  if (answer === undefined) throw new Error("BUG: a call has no answer");
  return answer;
}

/** Stores the file, or that it is removed, if the machine runs. */
export async function writeFile(world: SimulatorDatabase, call: Call, { path, text }: GuestFile): Promise<Answer> {
  const [answer] = await answers(world, "write-guest-file", [call], {
    effect: sql`
      update simulated.machines m set files = nullif(coalesce(m.files, '{}') - ${path}::text
        || jsonb_strip_nulls(jsonb_build_object(${path}::text, ${text}::text)), '{}')
      from call where m.id = call.id and call.clear and ${isAddressed} and ${usable} returning ${seen}`,
  });
  if (answer === undefined) throw new Error("BUG: a call has no answer");
  return answer;
}

/** Removes them, or only the copy on that host if there is another, and returns what was removed. */
export function deleteMachines(world: SimulatorDatabase, calls: readonly Call[]): Promise<Answer[]> {
  return answers(world, "remove", calls, {
    effect: sql`
      delete from simulated.machines m using call
      where m.id = call.id and call.clear and (m.host = call.host or not exists (
        select from simulated.copies c where c.machine_id = m.id and c.host = call.host))
      returning ${seen}`,
    besides: sql`, copy as (
      delete from simulated.copies c using call where c.machine_id = call.id and c.host = call.host and call.clear)`,
  });
}

/** Reads them, for `inspect` or another operation that changes nothing. */
export function readMachines(
  world: SimulatorDatabase,
  calls: readonly Call[],
  operation: FaultOperation = "inspect",
): Promise<Answer[]> {
  return answers(world, operation, calls);
}

export type SeenGuest = SimulatedGuest & SimulatedMachine;

/** Undefined if the machine does not exist. */
export async function readGuest(world: SimulatorDatabase, machine: MachineRef): Promise<SeenGuest | undefined> {
  const { rows } = await sql<SeenGuest>`
    select hostname, image, vcpus, memory_gib as "memoryGib", storage_gb as "storageGb",
      coalesce((select jsonb_agg(jsonb_build_object('model', g.model, 'memoryGib', g.memory_gib, 'address', g.address)
          order by g.address)
        from simulated.gpu_uses u join simulated.gpus g using (host, address) where u.machine_id = m.id), '[]') as gpus,
      validation, power, case when isfinite(settles_at) then settles_at end as settles_at,
      settles_at <= now() as settled
    from simulated.machines m where id = ${machine.id}`.execute(world);
  return rows[0];
}

/** Machines in the same state. `hosts` is in the order of `ids`. */
interface SeenTogether extends Group {
  readonly power: SeenMachine["power"];
  readonly usable: boolean;
  readonly hosts: readonly string[];
}

/** Every machine and complete copy that is not on a dead host, and the faults that apply. */
export async function readAll(
  world: SimulatorDatabase,
): Promise<{ faults: readonly Fault[] | null; deadHosts: readonly string[]; machines: readonly ListedMachine[] }> {
  const { rows } = await sql<{ faults: Fault[] | null; dead: string[]; copies: MachineRef[] }>`
    select ${faultsFor("list")} as faults,
      coalesce((select jsonb_agg(name) from simulated.hosts where not alive), '[]') as dead,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', c.machine_id, 'host', c.host))
        from simulated.copies c join simulated.hosts h on h.name = c.host
        where h.alive and c.machine is not null), '[]') as copies`.execute(world);
  const [first] = rows;
  if (first === undefined) throw new Error("BUG: a select without from gave no row");
  // Uses the dead hosts read above, even if one changes now: each machine is listed, or its host is reported dead.
  const pages = readInPages(
    world,
    (above, limit) => sql<SeenTogether>`
      select power, usable, ${joinedIds(sql`id`)} as ids, json_agg(host) as hosts from (
        select m.id, m.host, ${power} as power, ${usable} as usable from simulated.machines m
        where m.host <> all(${first.dead}::text[]) and m.id > ${above} order by m.id limit ${limit}
      ) page group by power, usable`,
  );
  const machines: ListedMachine[] = [];
  const names = new Names();
  for await (const page of pages) {
    for (const group of page) {
      const { power, usable, hosts } = group;
      idsOf(group).forEach((id, place) => {
        const host = hosts[place];
        if (host === undefined) throw new Error("BUG: a machine without a host");
        machines.push({ id, host: names.one(host), power, usable });
      });
    }
  }
  for (const { id, host } of first.copies) machines.push({ id, host: names.one(host), power: "halted", usable: false });
  return { faults: first.faults, deadHosts: first.dead, machines };
}

/** One string per name, not per row: a list is in memory as long as a resync. */
class Names {
  readonly #known = new Map<string, string>();

  one(name: string): string {
    const known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, name);
    return known ?? name;
  }
}

/** The machines that are starting or halting. */
export async function readUnsettled(world: SimulatorDatabase): Promise<SeenMachine[]> {
  const { rows } = await sql<SeenMachine>`
    select ${seen} from simulated.machines m where settles_at > now() and settles_at < 'infinity'`.execute(world);
  return rows;
}

const power = sql`
  case when m.settles_at > now() then case m.power when 'on' then 'starting' else 'running' end
    else case m.power when 'on' then 'running' else 'halted' end end`;

const usable = sql`(m.power = 'on' and m.settles_at <= now())`;

const looks = sql`
  m.id, m.host, ${power} as power, ${usable} as usable, host(m.ip) as ip,
  case when m.settles_at > now() and m.settles_at < 'infinity'
    then extract(epoch from m.settles_at - now())::float8 * 1000 end as settles_in_ms`;

const seen = sql`${looks}, ${faultsForReports} as reports`;

/** The call is for the machine, and not for a copy of it on another host. */
const isAddressed = sql`(m.host = call.host or not exists (select from simulated.copies c where c.machine_id = m.id))`;

/** A repeated call changes nothing: the boot keeps its first start time. What was written into the guest is gone with its memory. */
function turn(power: "on" | "off"): RawBuilder<unknown> {
  return sql`
    update simulated.machines m set
      settles_at = case when m.power = ${power} then m.settles_at
        else coalesce(now() + make_interval(secs => call.taking), 'infinity') end,
      power = ${power}, files = case when m.power = ${power} then m.files end
    from call where m.id = call.id and call.clear and ${isAddressed}
    returning ${seen}`;
}

/**
 * The frame of every operation, for calls of different machines; results are in their order. `call.clear` allows the
 * effect. Without an effect, the machine is read as it was when the statement began.
 *
 * Commits without waiting for the disk. A database crash loses the effect and everything written later, including any
 * recorded observation of it, so the reconciler repeats it.
 */
async function answers(
  world: SimulatorDatabase,
  operation: FaultOperation,
  calls: readonly Call[],
  parts?: { effect: RawBuilder<unknown>; besides?: RawBuilder<unknown> },
): Promise<Answer[]> {
  const stored = sql`(select to_jsonb(one) from (select ${seen} from simulated.machines m where m.id = call.id) as one)`;
  const { rows } = await sql<Answer>`
    with met as materialized (
      select asked.*, ${faultsFor(operation, { id: sql`asked.id::text`, host: sql`asked.host` })} as faults,
        (select alive from simulated.hosts h where h.name = asked.host) as alive
      from unnest(${calls.map(({ machine }) => machine.id)}::uuid[], ${calls.map(({ machine }) => machine.host)}::text[],
          ${calls.map(({ manner }) => manner.forced)}::boolean[],
          ${calls.map(({ manner: { seconds } }) => (Number.isFinite(seconds) ? seconds : null))}::float8[]
        ) with ordinality as asked (id, host, forced, taking, place)
    ), call as materialized (
      select *, (forced or faults is null) and coalesce(alive, false) as clear from met
    )${parts === undefined ? sql`` : sql`, effect as (${parts.effect})${parts.besides ?? sql``}`}
    select call.faults, call.alive,
      ${
        parts === undefined
          ? stored
          : sql`coalesce((select to_jsonb(effect) from effect where effect.id = call.id), ${stored})`
      } as machine${parts === undefined ? sql`` : sql`, set_config('synchronous_commit', 'off', true)`}
    from call order by place`.execute(world);
  if (rows.length !== calls.length) throw new Error(`BUG: ${calls.length} calls have ${rows.length} answers`);
  return rows;
}
