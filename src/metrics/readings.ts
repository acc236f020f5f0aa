// Reads the metrics from the database: a few statements, each with an index or one pass over a table of hosts, run
// sequentially on one connection. Used by database-gauges.ts.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { costOf, secondsUntil, spanEnd } from "../rental/billing/cost-sql.ts";
import { creditedThisMonth } from "../rental/billing/credits.ts";
import { partitionState } from "../rental/gpus/partitions/partition-list.ts";
import { acceptsInstances } from "../rental/hosts/accepting.ts";
import { foundDifferences } from "../rental/ledger/differences.ts";
import { isOpenReservation } from "../rental/reservations/reservation.ts";
import { type EmailStatus, endedEmails } from "../rules/emails.ts";
import { type GpuState, gpuStates } from "../rules/gpu-lifecycle.ts";
import { partitionStates } from "../rules/gpu-partitions.ts";
import { healthCodeNames, healthSeverities } from "../rules/host-health.ts";
import { type HostState, hostStates, lostMode } from "../rules/host-lifecycle.ts";
import { asReservationState, openReservationStates, reservationTraits } from "../rules/reservations.ts";
import { blockers, holdingBlocker, waitingState } from "../rules/waiting-launches.ts";
import type { Metrics } from "./metrics.ts";

/** A longer statement is canceled: a scrape must not slow the service down. */
const statementTimeoutMs = 3_000;

type Apply = (metrics: Metrics) => void;

/** Reads everything; each statement has its own snapshot. Returns what sets the metrics. Throws database errors. */
export async function readGauges(db: Database): Promise<Apply> {
  const applies = await inTransaction(db, async (tx) => {
    await sql`select set_config('statement_timeout', ${`${statementTimeoutMs}`}, true)`.execute(tx);
    const all: Apply[] = [];
    for (const read of readings) all.push(await read(tx));
    return all;
  });
  return (metrics) => {
    for (const apply of applies) apply(metrics);
  };
}

const readings: readonly ((tx: Transaction) => Promise<Apply>)[] = [
  reconciler,
  instances,
  hosts,
  hostFindings,
  gpuStatesOf,
  gpuPartitions,
  gpus,
  waitingLaunches,
  spot,
  reservations,
  billing,
  month,
  ledger,
  webhooks,
  emails,
  housekeeping,
];

async function reconciler(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ due: number; oldest: number; leases: number }>`
    select count(*) filter (where next_look_at <= now() and (lease_until is null or lease_until <= now())) as due,
      coalesce(extract(epoch from now() - min(next_look_at)
        filter (where next_look_at <= now() and (lease_until is null or lease_until <= now())))::float8, 0) as oldest,
      count(*) filter (where lease_until > now()) as leases
    from instances where next_look_at is not null`.execute(tx);
  const row = only(rows);
  return (metrics) => {
    metrics.set("lessor_reconciler_due", {}, row.due);
    metrics.set("lessor_reconciler_oldest_due_seconds", {}, row.oldest);
    metrics.set("lessor_reconciler_leases", {}, row.leases);
  };
}

async function instances(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ state: string; health: string; count: number }>`
    select state, health, count(*) as count from instances where terminated_at is null group by 1, 2`.execute(tx);
  return (metrics) =>
    metrics.setAll(
      "lessor_instances",
      rows.map(({ state, health, count }) => [{ state, health }, count]),
    );
}

async function hosts(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{
    region: string;
    states: Readonly<Partial<Record<HostState, number>>>;
    vcpus: number;
    free_vcpus: number;
  }>`
    select region, jsonb_object_agg(state, hosts) as states, 
      coalesce(sum(vcpus) filter (where state <> ${sql.lit(lostMode)}), 0)::float8 as vcpus,
      coalesce(sum(free_vcpus) filter (where ${acceptsInstances(sql`state`)}), 0)::float8 as free_vcpus
    from (
      select region, state, count(*) as hosts, sum(vcpus) as vcpus, sum(free_vcpus) as free_vcpus from hosts group by 1, 2
    ) of_state group by 1`.execute(tx);
  return (metrics) => {
    metrics.setAll(
      "lessor_hosts",
      rows.flatMap((row) => hostStates.map((state) => [{ region: row.region, state }, row.states[state] ?? 0])),
    );
    metrics.setAll(
      "lessor_vcpus",
      rows.map(({ region, vcpus }) => [{ region }, vcpus]),
    );
    metrics.setAll(
      "lessor_vcpus_free",
      rows.map(({ region, free_vcpus }) => [{ region }, free_vcpus]),
    );
  };
}

async function hostFindings(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ code: string; severity: string; count: number }>`
    select f.code, f.severity, count(*) as count from host_findings f join hosts h on h.name = f.host
    where h.state <> ${sql.lit(lostMode)} group by 1, 2`.execute(tx);
  const counts = new Map(rows.map(({ code, severity, count }) => [`${code} ${severity}`, count]));
  return (metrics) =>
    metrics.setAll(
      "lessor_host_findings",
      healthCodeNames.flatMap((code) =>
        healthSeverities.map((severity) => [{ code, severity }, counts.get(`${code} ${severity}`) ?? 0]),
      ),
    );
}

async function gpuStatesOf(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ model: string; states: Readonly<Partial<Record<GpuState, number>>> }>`
    select model, jsonb_object_agg(state, gpus) as states from (
      select g.model, g.state, count(*) as gpus from gpus g join hosts h on h.name = g.host
      where h.state <> ${sql.lit(lostMode)} group by 1, 2
    ) of_state group by 1`.execute(tx);
  return (metrics) =>
    metrics.setAll(
      "lessor_gpus_by_state",
      rows.flatMap(({ model, states }) => gpuStates.map((state) => [{ model, state }, states[state] ?? 0])),
    );
}

async function gpuPartitions(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from (
      select ${partitionState} as state from gpu_partitions p join hosts h on h.name = p.host
      where h.state <> ${sql.lit(lostMode)}) of_state group by 1`.execute(tx);
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  return (metrics) =>
    metrics.setAll(
      "lessor_gpu_partitions",
      partitionStates.map((state) => [{ state }, counts.get(state) ?? 0]),
    );
}

async function waitingLaunches(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ blocked_by: string; model: string | null; launches: number; gpus: number }>`
    select w.blocked_by, t.gpu_model as model, count(*) as launches, coalesce(sum(w.quantity * t.gpus), 0) as gpus
    from waiting_launches w left join instance_types t on t.name = w.instance_type
    where w.state = ${sql.lit(waitingState)} group by 1, 2`.execute(tx);
  const count = (by: string) => rows.reduce((sum, row) => sum + (row.blocked_by === by ? row.launches : 0), 0);
  const wanted = rows.flatMap(({ blocked_by: by, model, gpus: all }) =>
    by === holdingBlocker && model !== null ? [[{ model }, all] as const] : [],
  );
  return (metrics) => {
    metrics.setAll(
      "lessor_waiting_launches",
      blockers.map((by) => [{ blocker: by }, count(by)]),
    );
    metrics.setAll("lessor_waiting_gpus", wanted);
  };
}

async function spot(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ region: string; model: string; instances: number; gpus: number; noticed: number }>`
    select region, coalesce(gpu_model, 'none') as model, count(*) as instances, coalesce(sum(gpus), 0) as gpus,
      count(*) filter (where evict_at is not null) as noticed
    from instances where spot and terminated_at is null group by 1, 2`.execute(tx);
  return (metrics) => {
    metrics.setAll(
      "lessor_spot_instances",
      rows.map(({ region, model, instances: count }) => [{ region, model }, count]),
    );
    metrics.setAll(
      "lessor_spot_gpus",
      rows.flatMap(({ region, model, gpus: count }) => (count === 0 ? [] : [[{ region, model }, count] as const])),
    );
    metrics.set(
      "lessor_spot_under_notice",
      {},
      rows.reduce((sum, { noticed }) => sum + noticed, 0),
    );
  };
}

async function reservations(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ state: string; model: string | null; count: number; gpus: number; risk: number }>`
    select r.state, r.type ->> 'gpu_model' as model, count(*) as count,
      coalesce(sum(r.quantity * (r.type ->> 'gpus')::integer), 0) as gpus, count(r.at_risk_since) as risk
    from reservations r where ${isOpenReservation} group by 1, 2`.execute(tx);
  const missing = await sql<{ slots: number }>`
    select coalesce(sum(undelivered), 0) as slots from reservation_hosts`.execute(tx);
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
  const models = new Map<string, number>();
  for (const { state, model, gpus: all } of rows) {
    if (model !== null && reservationTraits[asReservationState(state)].isInForce)
      models.set(model, (models.get(model) ?? 0) + all);
  }
  return (metrics) => {
    metrics.setAll(
      "lessor_reservations",
      openReservationStates.map((state) => [{ state }, sum((row) => (row.state === state ? row.count : 0))]),
    );
    metrics.setAll(
      "lessor_reserved_gpus",
      [...models].map(([model, all]) => [{ model }, all]),
    );
    metrics.set(
      "lessor_reservations_at_risk",
      {},
      sum(({ risk }) => risk),
    );
    metrics.set("lessor_reservation_slots_undelivered", {}, only(missing.rows).slots);
  };
}

async function gpus(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ region: string; model: string; total: number; free: number }>`
    select h.region, p.model,
      coalesce(sum(p.total) filter (where h.state <> ${sql.lit(lostMode)}), 0) as total,
      coalesce(sum(p.free) filter (where ${acceptsInstances(sql`h.state`)}), 0) as free
    from gpu_pools p join hosts h on h.name = p.host group by 1, 2`.execute(tx);
  return (metrics) => {
    metrics.setAll(
      "lessor_gpus",
      rows.map(({ region, model, total }) => [{ region, model }, total]),
    );
    metrics.setAll(
      "lessor_gpus_free",
      rows.map(({ region, model, free }) => [{ region, model }, free]),
    );
  };
}

async function billing(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ spans: number; rate: number }>`
    select count(*) as spans,
      coalesce(sum(quantity * price_cents_per_hour::numeric * (10000 - discount_basis_points) / 10000), 0)::float8 as rate
    from billing_spans s where ${spanEnd} > now()`.execute(tx);
  const { spans, rate } = only(rows);
  return (metrics) => {
    metrics.set("lessor_billing_open_spans", {}, spans);
    metrics.set("lessor_billing_rate_cents_per_hour", {}, rate);
  };
}

/** A float: for graphs, not for bills. */
async function month(tx: Transaction): Promise<Apply> {
  const start = sql<Date>`(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`;
  const { rows } = await sql<{ cents: number }>`
    select ((coalesce(sum(${costOf(secondsUntil(sql<Date>`now()`))} - ${costOf(secondsUntil(start))}), 0)
      - ${creditedThisMonth(sql<boolean>`true`)}) / 1000000)::float8 as cents
    from billing_spans s where ${spanEnd} > ${start}`.execute(tx);
  const { cents } = only(rows);
  return (metrics) => metrics.set("lessor_billing_month_cents", {}, cents);
}

async function ledger(tx: Transaction): Promise<Apply> {
  const differences = await foundDifferences(tx);
  return (metrics) => {
    if (differences !== undefined) metrics.set("lessor_ledger_differences", {}, differences);
  };
}

async function webhooks(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ pending: number; overdue: number; delivered: number; failed: number }>`
    select (select coalesce(sum(pending), 0) from webhooks) as pending,
      (select coalesce(greatest(extract(epoch from now() - min(d.next_attempt_at)), 0)::float8, 0)
        from webhook_deliveries d join webhooks w on w.id = d.webhook_id join accounts a on a.id = w.account_id
        where d.status = 'pending' and d.next_attempt_at is not null and a.status = 'active'
          and coalesce(w.paused_until <= now(), true)
          and not exists (select from webhook_origins o where o.origin = w.origin and o.next_attempt_at > now())) as overdue,
      count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed
    from webhook_deliveries where finished_at > now() - interval '1 hour'`.execute(tx);
  const { pending, overdue, delivered, failed } = only(rows);
  return (metrics) => {
    metrics.set("lessor_webhook_deliveries_pending", {}, pending);
    metrics.set("lessor_webhook_overdue_seconds", {}, overdue);
    metrics.set("lessor_webhook_deliveries_last_hour", { result: "delivered" }, delivered);
    metrics.set("lessor_webhook_deliveries_last_hour", { result: "failed" }, failed);
  };
}

async function emails(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{
    waiting: number;
    oldest: number;
    ended: Readonly<Partial<Record<EmailStatus, number>>>;
  }>`
    select (select count(*) from emails where status = 'waiting') as waiting,
      (select coalesce(extract(epoch from now() - min(created_at))::float8, 0) from emails where status = 'waiting') as oldest,
      (select coalesce(jsonb_object_agg(status, count), '{}') from (
        select status, count(*) as count from emails
        where created_at > now() - interval '2 days' and finished_at > now() - interval '1 hour' group by 1) e) as ended`.execute(
    tx,
  );
  const { waiting, oldest, ended } = only(rows);
  return (metrics) => {
    metrics.set("lessor_emails_waiting", {}, waiting);
    metrics.set("lessor_emails_oldest_seconds", {}, oldest);
    metrics.setAll(
      "lessor_emails_last_hour",
      endedEmails.map((result) => [{ result }, ended[result] ?? 0]),
    );
  };
}

/** A server not seen for 15 seconds has expired (src/replicas). */
async function housekeeping(tx: Transaction): Promise<Apply> {
  const { rows } = await sql<{ replicas: number; audit: number }>`
    select (select count(*) from replicas where seen_at > now() - interval '15 seconds') as replicas,
      (select greatest(reltuples, 0)::float8 from pg_class where oid = 'audit_log'::regclass) as audit`.execute(tx);
  const { replicas, audit } = only(rows);
  return (metrics) => {
    metrics.set("lessor_replicas", {}, replicas);
    metrics.set("lessor_audit_rows", {}, audit);
  };
}

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an aggregate without groups gave no row");
  return row;
}
