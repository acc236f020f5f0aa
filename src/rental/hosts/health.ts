// What engines report of the health of hosts, stored with them. Used by the host sync (reconciler/sync-hosts.ts), whose
// every run brings all of it; so a host without news costs no statement.
//
// Invariant: at most one finding of each code for a host, and `since` is when it got its severity. Everything is written
// under the host's row lock, with the event in the same transaction. Restarts are remembered here, not by the engine:
// of several replicas any can do the next sync.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import {
  type DaemonSign,
  type HostFinding,
  healthThresholds,
  restartFinding,
  worstOfEach,
} from "../../rules/host-health.ts";
import { recordEvents } from "../events/record.ts";

/** Hosts per transaction, so that locks are held for some milliseconds. */
const BATCH = 200;

/** Two replicas notice the same restart at different times, each when it connects again. */
const SAME_RESTART_SECONDS = 60;

/** What an engine reports of one host; engines/engine.ts says what each field means. */
export interface HealthReport {
  readonly name: string;
  readonly health?: readonly HostFinding[] | undefined;
  readonly daemon?: DaemonSign | undefined;
}

/** The findings of a host that are others now, in code or severity. */
export interface HealthChange {
  readonly host: string;
  readonly findings: readonly HostFinding[];
}

/** Stores what is new in the reports. Returns the hosts of which it changed the findings, for the log. */
export async function recordHostHealth(
  db: Database,
  engine: string,
  reports: readonly HealthReport[],
): Promise<HealthChange[]> {
  const { stored, now } = await readStored(db, engine);
  const news = reports.filter((report) => newsOf(report, stored.get(report.name), now) !== undefined);
  const changes: HealthChange[] = [];
  for (let from = 0; from < news.length; from += BATCH) {
    const some = news.slice(from, from + BATCH);
    changes.push(...(await inTransaction(db, (tx) => recordSome(tx, engine, some))));
  }
  return changes;
}

interface StoredHealth {
  readonly findings: readonly HostFinding[];
  readonly daemonRun: string | null;
  readonly restarts: readonly Date[];
}

const nothingStored: StoredHealth = { findings: [], daemonRun: null, restarts: [] };

/** By name; hosts of which nothing is stored are left out. `among`: only these. */
async function readStored(
  db: Database,
  engine: string,
  among?: readonly string[],
): Promise<{ stored: Map<string, StoredHealth>; now: Date }> {
  const { rows } = await sql<{ now: Date; hosts: (StoredRow & { name: string })[] }>`
    select now() as now, (
      select coalesce(jsonb_agg(jsonb_build_object('name', h.name, 'daemonRun', h.daemon_run,
        'findings', (select coalesce(jsonb_agg(jsonb_build_object('code', code, 'severity', severity, 'message', message)), '[]')
          from host_findings f where f.host = h.name),
        'restarts', (select coalesce(jsonb_agg(restarted_at), '[]') from host_restarts r where r.host = h.name))), '[]')
      from hosts h
      where h.engine = ${engine} and h.name in (
        select host from host_findings union all select host from host_restarts
        union all select name from hosts where engine = ${engine} and daemon_run is not null)
        and (${among ?? null}::text[] is null or h.name = any(${among ?? null}::text[]))
    ) as hosts`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a from gives a row");
  const stored = new Map(row.hosts.map(({ name, ...one }) => [name, fromRow(one)]));
  return { stored, now: row.now };
}

interface StoredRow {
  readonly daemonRun: string | null;
  readonly findings: readonly HostFinding[];
  readonly restarts: readonly string[];
}

function fromRow({ restarts, ...row }: StoredRow): StoredHealth {
  return { ...row, restarts: restarts.map((at) => new Date(at)) };
}

interface News {
  readonly findings: readonly HostFinding[];
  readonly daemonRun: string | null;
  /** A restart that is not stored yet. */
  readonly restart: Date | undefined;
}

/** What is to be stored of the report; undefined: nothing is new. */
function newsOf({ health, daemon }: HealthReport, before = nothingStored, now: Date): News | undefined {
  const restart = restartBy(daemon, before, now);
  const daemonRun = daemon !== undefined && "run" in daemon ? daemon.run : before.daemonRun;
  const restarts = restart === undefined ? before.restarts : [...before.restarts, restart];
  const known = health ?? before.findings.filter(({ code }) => code !== "daemon-restarted");
  const findings = worstOfEach([...known, ...[restartFinding(restarts, now) ?? []].flat()]);
  const isSame = restart === undefined && daemonRun === before.daemonRun && areSame(findings, before.findings);
  return isSame ? undefined : { findings, daemonRun, restart };
}

/** The restart that the sign tells of, unless it is known, or too long ago to matter. */
function restartBy(daemon: DaemonSign | undefined, { daemonRun, restarts }: StoredHealth, now: Date): Date | undefined {
  if (daemon === undefined) return undefined;
  if ("run" in daemon) return daemonRun === null || daemonRun === daemon.run ? undefined : now;
  const { restartedAt } = daemon;
  const secondsFrom = (at: Date) => Math.abs(at.getTime() - restartedAt.getTime()) / 1000;
  const isKnown = restarts.some((at) => secondsFrom(at) < SAME_RESTART_SECONDS);
  return isKnown || secondsFrom(now) > healthThresholds.restarts.withinSeconds ? undefined : restartedAt;
}

function areSame(some: readonly HostFinding[], others: readonly HostFinding[]): boolean {
  return asText(some, textOf) === asText(others, textOf);
}

const textOf = ({ code, severity, message }: HostFinding) => `${code} ${severity} ${message}`;
const kindOf = ({ code, severity }: HostFinding) => `${code} ${severity}`;
const asText = (findings: readonly HostFinding[], of: (one: HostFinding) => string) =>
  findings.map(of).sort().join("\n");

async function recordSome(
  tx: Transaction,
  engine: string,
  reports: readonly HealthReport[],
): Promise<readonly HealthChange[]> {
  const names = reports.map(({ name }) => name);
  const { rows } = await sql<{ name: string; id: string }>`
    select name, id from hosts where name = any(${names}::text[]) and engine = ${engine} order by name for update`.execute(
    tx,
  );
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  // Under the locks, and so after what another replica has stored.
  const { stored, now } = await readStored(tx, engine, names);
  const news = reports.flatMap((report) => {
    const found = ids.has(report.name) ? newsOf(report, stored.get(report.name), now) : undefined;
    return found === undefined ? [] : [{ ...found, host: report.name, id: ids.get(report.name) ?? "" }];
  });
  await store(tx, news);
  const changes = news.filter(
    ({ host, findings }) => asText(findings, kindOf) !== asText(stored.get(host)?.findings ?? [], kindOf),
  );
  await recordEvents(
    tx,
    changes.map(({ host: name, id, findings }) => ({
      accountId: null,
      type: "host.health_changed",
      subjectId: id,
      data: { host_id: id, name, health: findings.map(({ code, severity, message }) => ({ code, severity, message })) },
    })),
  );
  return changes.map(({ host, findings }) => ({ host, findings }));
}

async function store(tx: Transaction, news: readonly (News & { readonly host: string })[]): Promise<void> {
  const hosts = news.map(({ host }) => host);
  const findings = news.flatMap(({ host, findings: found }) => found.map((one) => ({ ...one, host })));
  const [owners, codes] = [findings.map(({ host }) => host), findings.map(({ code }) => code)];
  await sql`
    delete from host_findings where host = any(${hosts}::text[])
      and (host, code) not in (select * from unnest(${owners}::text[], ${codes}::text[]))`.execute(tx);
  await sql`
    insert into host_findings as f (host, code, severity, message)
    select * from unnest(${owners}::text[], ${codes}::text[], ${findings.map(({ severity }) => severity)}::text[],
      ${findings.map(({ message }) => message)}::text[])
    on conflict (host, code) do update set severity = excluded.severity, message = excluded.message,
      since = case when f.severity = excluded.severity then f.since else excluded.since end
    where (f.severity, f.message) is distinct from (excluded.severity, excluded.message)`.execute(tx);
  const restarts = news.flatMap(({ host, restart }) => (restart === undefined ? [] : [{ host, restart }]));
  await sql`
    insert into host_restarts (host, restarted_at)
    select * from unnest(${restarts.map(({ host }) => host)}::text[], ${restarts.map(({ restart }) => restart)}::timestamptz[])
    on conflict do nothing`.execute(tx);
  await sql`
    update hosts h set daemon_run = news.run
    from unnest(${hosts}::text[], ${news.map(({ daemonRun }) => daemonRun)}::text[]) as news (name, run)
    where h.name = news.name and h.daemon_run is distinct from news.run`.execute(tx);
}
