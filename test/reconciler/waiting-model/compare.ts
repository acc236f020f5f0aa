// Compares a model with the database: what waits and for what, what is used, and that nothing waits that could be placed.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../../src/database/connect.ts";
import { everything } from "../../../src/rental/paging.ts";
import { listWaitingLaunches } from "../../../src/rental/waiting/waiting-store.ts";
import { describePlans, plansOf } from "./evictions.ts";
import {
  aheadOf,
  freeOn,
  hasItsTurn,
  hasPlaces,
  isWaitingForCapacity,
  type Kept,
  type Model,
  usedBy,
  verdictOf,
} from "./model.ts";
import { isSameSet } from "./moves.ts";

/** One line for each difference. */
export async function differences(db: Database, model: Model): Promise<string[]> {
  const [waiting, free, used] = await Promise.all([
    listWaitingLaunches(db, everything, { accountId: undefined, states: ["waiting"] }),
    lines(
      db,
      sql<{
        line: string;
      }>`select concat_ws(' ', h.name, h.free_vcpus, h.free_memory_gib, h.free_storage_gb, coalesce(p.free, 0)) as line
        from hosts h left join gpu_pools p on p.host = h.name`,
    ),
    lines(
      db,
      sql<{ line: string }>`select concat_ws(' ', id, used_instances, used_gpus, used_vcpus) as line from accounts`,
    ),
  ]);
  return [
    ...compared(
      "waiting launches (id, position, blocker, ahead)",
      waiting.map(({ id, position, blockedBy, ahead }) => `${id} ${position} ${blockedBy} ${ahead}`),
      [...model.launches.values()].map((one) => `${one.id} ${one.position} ${one.blockedBy} ${aheadOf(model, one)}`),
    ),
    ...compared(
      "hosts (free vCPUs, memory, storage, GPUs)",
      free,
      [...model.hosts.values()].map((host) => {
        const { vcpus, memoryGib, storageGb, gpus } = freeOn(model, host);
        return `${host.name} ${vcpus} ${memoryGib} ${storageGb} ${gpus.length}`;
      }),
    ),
    ...compared(
      "accounts (used instances, GPUs, vCPUs)",
      used,
      [...model.accounts.keys()].map((id) => {
        const { instances, gpus, vcpus } = usedBy(model, id);
        return `${id} ${instances} ${gpus} ${vcpus}`;
      }),
    ),
  ];
}

async function lines(db: Database, query: RawBuilder<{ line: string }>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return rows.map(({ line }) => line);
}

/** What must not be when no placer runs and none was woken. `hasRun`: one has run since the last change. */
export function restless(model: Model, hasRun: boolean): string[] {
  const lines: string[] = hasRun ? evictionsAmiss(model) : [];
  for (const launch of model.launches.values()) {
    const verdict = verdictOf(model, launch);
    const tell = () => lines.push(`${launch.id} at ${launch.position} waits for ${launch.blockedBy}: ${verdict}`);
    // The first is tried where hosts have room for it, and is told then what else blocks it.
    const isTried = hasRun && launch.blockedBy === "capacity" && hasItsTurn(model, launch) && hasPlaces(model, launch);
    if (verdict === "placeable" || isTried) tell();
  }
  for (const { name, kept } of model.hosts.values()) {
    if (hasRun && kept !== undefined && !isWaitingForCapacity(model, kept.launch)) {
      lines.push(`${name} is kept for ${kept.launch}, which does not wait for capacity`);
    }
  }
  return lines;
}

/** What is under notice has to be what one of the plans has, for each that waits; and its hosts are kept. */
function evictionsAmiss(model: Model): string[] {
  const under = [...model.instances.values()].filter(({ evictedFor }) => evictedFor !== undefined);
  const now = Map.groupBy(under, ({ evictedFor }) => evictedFor ?? "");
  const setOf = (id: string) => new Set((now.get(id) ?? []).map((one) => one.id));
  const ids = new Set([...now.keys(), ...model.launches.keys()]);
  const isOne = plansOf(model).some((plan) =>
    [...ids].every((id) => isSameSet(plan.get(id) ?? new Set<string>(), setOf(id))),
  );
  const unkept = under.filter(
    ({ host, evictedFor }) => model.hosts.get(host)?.accepts && model.hosts.get(host)?.kept?.launch !== evictedFor,
  );
  return [
    ...(isOne
      ? []
      : [`evicted are ${JSON.stringify([...ids].map((id) => [id, [...setOf(id)]]))}, and should be one of`]),
    ...(isOne ? [] : describePlans(model)),
    ...unkept.map(({ id, host, evictedFor }) => `${id} is evicted for ${evictedFor}, and ${host} is not kept for it`),
  ];
}

/** The hosts that are kept, by name. */
export async function keptHosts(db: Database): Promise<ReadonlyMap<string, Kept>> {
  const { rows } = await sql<{ name: string; launch: string; position: number; from: Date | null }>`
    select name, earmarked_for as launch, earmark_position as position, earmark_from as "from" from hosts
    where earmarked_for is not null`.execute(db);
  return new Map(
    rows.map(({ name, launch, position, from }) => [name, { launch, position, fromMs: from?.getTime() }] as const),
  );
}

function compared(what: string, told: readonly string[], expected: readonly string[]): string[] {
  const [are, should] = [told.toSorted().join("\n    "), expected.toSorted().join("\n    ")];
  return are === should ? [] : [`${what}\n  are\n    ${are}\n  and should be\n    ${should}`];
}
