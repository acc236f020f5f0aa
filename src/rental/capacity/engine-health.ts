// The health of engines for operators: hosts and instances of each, and the result of its last resync. The reconciler
// records resyncs (reconciler/resync-job.ts), the control interface reads them. A host that is not reached counts as
// reached until the last listing that did (hosts/lost-hosts.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { hostModes, hostTraits, lostMode } from "../../rules/host-lifecycle.ts";
import { everything, type Page } from "../paging.ts";
import { cut } from "../quoted.ts";

export interface EngineHealth {
  readonly name: string;
  readonly hosts: number;
  /** How many of those the engine reports as available. */
  readonly hostsAvailable: number;
  /** How many of those are cordoned. */
  readonly hostsCordoned: number;
  /** Not terminated. */
  readonly instances: number;
  /** How many of those are unreachable. */
  readonly instancesUnreachable: number;
  /** When the last resync ended, successfully or not; null: none has. */
  readonly lastSweepAt: Date | null;
  /** Why it failed; null: it succeeded, or there was none. */
  readonly lastSweepError: string | null;
  /** When the last successful one ended. */
  readonly lastGoodSweepAt: Date | null;
}

/** Lost hosts are not counted as cordoned. */
const cordonedModes = hostModes.filter((mode) => !hostTraits[mode].acceptsInstances && mode !== lostMode);

/** An engine's message can be a page of a tool's output; its beginning is enough. */
const mostErrorLength = 1000;

/** Records that a resync has ended now. `error`: for operators; null: it succeeded. When hosts were listed last is kept. */
export async function recordResync(db: Database, engine: string, error: string | null): Promise<void> {
  const told = error === null ? null : cut(error, mostErrorLength).toWellFormed().replaceAll("\0", "");
  await sql`
    insert into settings as s (name, value) values (${resyncSettingOf(engine)}, jsonb_build_object(
      'at', now(), 'error', ${told}::text, 'good_at', case when ${told}::text is null then now() end))
    on conflict (name) do update set value =
      s.value || case when ${told}::text is null then excluded.value else excluded.value - 'good_at' end`.execute(db);
}

/** By name: configured engines, and those with hosts or instances. Scans both tables: for people only. */
export async function engineHealths(
  db: Database,
  configured: readonly string[],
  page: Page = everything,
): Promise<EngineHealth[]> {
  const { rows } = await sql<EngineHealth>`
    with ofHosts as (
      select engine, count(*) as hosts, count(*) filter (where available) as available,
        count(*) filter (where mode = any(${cordonedModes}::text[])) as cordoned
      from hosts group by engine
    ), ofInstances as (
      select engine, count(*) as instances, count(*) filter (where health <> 'ok') as unreachable
      from instances where terminated_at is null group by engine
    ), known as (
      select unnest(${[...configured]}::text[]) as name
      union select engine from ofHosts
      union select engine from ofInstances
    )
    select known.name, coalesce(hosts, 0)::integer as hosts, coalesce(available, 0)::integer as "hostsAvailable",
      coalesce(cordoned, 0)::integer as "hostsCordoned", coalesce(instances, 0)::integer as instances,
      coalesce(unreachable, 0)::integer as "instancesUnreachable",
      (s.value ->> 'at')::timestamptz as "lastSweepAt", s.value ->> 'error' as "lastSweepError",
      (s.value ->> 'good_at')::timestamptz as "lastGoodSweepAt"
    from known
    left join ofHosts h on h.engine = known.name
    left join ofInstances i on i.engine = known.name
    left join settings s on s.name = ${resyncSettingOf("")} || known.name
    where ${page.after ?? null}::text is null or known.name > ${page.after ?? null}
    order by known.name limit ${page.limit ?? null}::bigint`.execute(db);
  return rows;
}

/** The name of the setting that has an engine's last resync. Also read by the benchmark. */
export function resyncSettingOf(engine: string): string {
  return `sweep:${engine}`;
}
