// Every metric of this service, one row each: name, kind, labels, description. Single source for metrics.ts, the table
// of docs/reference/metrics.md (documentation.ts), and the test of the dashboard and the alerts of examples/. The
// process metrics (CPU, memory, garbage collection, files) are prom-client's own and not here.
//
// Labels have limited values: names of interfaces and operations, never a path, an account or an instance.

import { endedEmails } from "../rules/emails.ts";
import { gpuStates } from "../rules/gpu-lifecycle.ts";
import { partitionStates } from "../rules/gpu-partitions.ts";
import type { GpuMetric, PrometheusName } from "../rules/guest-metrics.ts";
import { hostStates } from "../rules/host-lifecycle.ts";
import { blockers } from "../rules/waiting-launches.ts";

/** What a metric measures, and its source. */
export interface MetricRow {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** `server`: counted by this process. `database`: read from it at a scrape, the same on every server. */
  readonly from: "server" | "database";
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** A response takes milliseconds; no client waits for ten seconds. */
const answerBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** An engine call takes milliseconds for a poll, minutes for an image that is copied. */
const workBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

const ofGpus = ["engine", "region", "model"] as const;

/** Of the server that reads the guests of the engine. Their names follow from rules/guest-metrics.ts. */
const guestGpuRows = {
  lessor_guest_gpu_utilization_percent: row("gauge", "server", "Mean utilization of GPUs, by their guests.", ofGpus),
  lessor_guest_gpu_memory_used_mebibytes: row("gauge", "server", "Memory of GPUs in use, by their guests.", ofGpus),
  lessor_guest_gpu_memory_size_mebibytes: row("gauge", "server", "Memory of these GPUs.", ofGpus),
  lessor_guest_gpu_temperature_celsius: row("gauge", "server", "The hottest GPU, by the guests.", ofGpus),
  lessor_guest_gpu_power_watts: row("gauge", "server", "What GPUs draw, by their guests.", ofGpus),
  lessor_guest_gpu_ecc_errors: row("gauge", "server", "Uncorrected memory errors of GPUs, by their guests.", ofGpus),
} as const satisfies Record<PrometheusName<GpuMetric>, MetricRow>;

export const metricTable = {
  lessor_http_requests_total: row("counter", "server", "Requests answered.", ["interface", "operation", "status"]),
  lessor_http_request_duration_seconds: row(
    "histogram",
    "server",
    "Time from a request's head to its answer.",
    ["interface", "operation"],
    answerBuckets,
  ),
  lessor_http_refused_total: row("counter", "server", "Requests refused for being too many, by reason.", ["reason"]),
  lessor_http_requests_under_way: row("gauge", "server", "Requests being worked on, without those still arriving."),
  lessor_http_connections: row("gauge", "server", "Open connections of clients."),
  lessor_http_connections_ended_total: row("counter", "server", "Connections ended to make room for new ones."),
  lessor_http_terminals: row("gauge", "server", "Open terminals."),
  lessor_idempotency_replays_total: row("counter", "server", "Answers repeated for an Idempotency-Key."),

  lessor_event_loop_lag_seconds: row("gauge", "server", "How late the event loop was at most in the last seconds."),
  lessor_event_loop_active_seconds_total: row("counter", "server", "Time in which the event loop had work."),
  lessor_event_loop_idle_seconds_total: row("counter", "server", "Time in which the event loop waited."),
  lessor_event_loop_turns_total: row("counter", "server", "Turns of the event loop."),

  lessor_database_connections: row("gauge", "server", "Connections of the pool: in use, or idle.", ["state"]),
  lessor_database_connections_most: row("gauge", "server", "How many connections the pool may have."),
  lessor_database_waiting: row("gauge", "server", "Who waits for a connection of the pool."),

  lessor_reconciler_turn_duration_seconds: row(
    "histogram",
    "server",
    "Turns of the reconciler with one instance, by the last action decided on and how it ended.",
    ["action", "result"],
    workBuckets,
  ),
  lessor_reconciler_turns_under_way: row("gauge", "server", "Reconciliations in progress."),
  lessor_engine_call_duration_seconds: row(
    "histogram",
    "server",
    "Calls of engines.",
    ["engine", "call", "result"],
    workBuckets,
  ),

  lessor_guest_samples_total: row("counter", "server", "Lines read of agents in guests, by what became of them.", [
    "engine",
    "result",
  ]),
  lessor_guest_instances: row("gauge", "server", "Instances whose guests reported in the last round.", ["engine"]),
  ...guestGpuRows,

  lessor_spot_evictions_total: row("counter", "server", "Evictions of spot instances: noticed, withdrawn, preempted.", [
    "outcome",
  ]),

  lessor_reconciler_due: row("gauge", "database", "Instances that are due and that nobody works on."),
  lessor_reconciler_oldest_due_seconds: row("gauge", "database", "How long the oldest of them has been due."),
  lessor_reconciler_leases: row("gauge", "database", "Leases held, of all servers."),
  lessor_hosts: row("gauge", "database", `Hosts by state: ${hostStates.join(", ")}.`, ["region", "state"]),
  lessor_gpus_by_state: row(
    "gauge",
    "database",
    `GPUs by state: ${gpuStates.join(", ")}. Those of lost hosts left out.`,
    ["model", "state"],
  ),
  lessor_gpu_partitions: row("gauge", "database", `NVSwitch partitions by state: ${partitionStates.join(", ")}.`, [
    "state",
  ]),
  lessor_waiting_launches: row(
    "gauge",
    "database",
    `Launches that wait, by what blocks them: ${blockers.join(", ")}.`,
    ["blocker"],
  ),
  lessor_waiting_gpus: row("gauge", "database", "GPUs that launches wait for which capacity blocks.", ["model"]),
  lessor_spot_instances: row("gauge", "database", "Spot instances that hold capacity, by GPU model; none of no GPUs.", [
    "region",
    "model",
  ]),
  lessor_spot_gpus: row("gauge", "database", "GPUs of spot instances.", ["region", "model"]),
  lessor_spot_under_notice: row("gauge", "database", "Spot instances that are being evicted."),
  lessor_reservations: row("gauge", "database", "Reservations that are not over.", ["state"]),
  lessor_reserved_gpus: row("gauge", "database", "GPUs of active reservations, used by instances or not.", ["model"]),
  lessor_reservations_at_risk: row("gauge", "database", "Reservations that hosts cannot keep now, and no others can."),
  lessor_reservation_slots_undelivered: row("gauge", "database", "Instances that active reservations cannot have now."),
  lessor_host_findings: row("gauge", "database", "Hosts with a finding about their health, lost ones left out.", [
    "code",
    "severity",
  ]),
  lessor_gpus: row("gauge", "database", "GPUs there are; those of lost hosts do not count.", ["region", "model"]),
  lessor_gpus_free: row("gauge", "database", "GPUs free on hosts that take new instances.", ["region", "model"]),
  lessor_vcpus: row("gauge", "database", "vCPUs there are; those of lost hosts do not count.", ["region"]),
  lessor_vcpus_free: row("gauge", "database", "vCPUs free on hosts that take new instances.", ["region"]),
  lessor_instances: row("gauge", "database", "Instances that are not terminated.", ["state", "health"]),
  lessor_billing_open_spans: row("gauge", "database", "Instances and reservations that are being billed."),
  lessor_billing_rate_cents_per_hour: row("gauge", "database", "What they cost together, after coupons."),
  lessor_billing_month_cents: row(
    "gauge",
    "database",
    "What has been used since the month (UTC) began, less its credits.",
  ),
  lessor_ledger_differences: row("gauge", "database", "Entries and months whose sums disagree, by the last check."),
  lessor_webhook_deliveries_pending: row("gauge", "database", "Deliveries that have not arrived yet."),
  lessor_webhook_overdue_seconds: row(
    "gauge",
    "database",
    "How long the most overdue attempt has been due; one that waits for its time, or for a pause of its webhook or origin, is not.",
  ),
  lessor_webhook_deliveries_last_hour: row("gauge", "database", "Deliveries that ended in the last hour.", ["result"]),
  lessor_emails_waiting: row("gauge", "database", "Emails to accounts that have not been sent yet."),
  lessor_emails_oldest_seconds: row("gauge", "database", "How long the oldest of them has waited."),
  lessor_emails_last_hour: row("gauge", "database", `Emails that ended in the last hour: ${endedEmails.join(", ")}.`, [
    "result",
  ]),
  lessor_audit_rows: row("gauge", "database", "Rows of the audit log, as estimated by the database."),
  lessor_replicas: row("gauge", "database", "Servers that were alive in the last seconds."),
  lessor_database_gauges_age_seconds: row("gauge", "server", "How old the values read from the database are."),
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof metricTable;
/** The metrics of one kind. */
export type NameOf<Kind extends MetricRow["kind"]> = {
  [N in MetricName]: (typeof metricTable)[N]["kind"] extends Kind ? N : never;
}[MetricName];
/** Exactly the labels that a metric has. */
export type LabelsOf<N extends MetricName> = Record<(typeof metricTable)[N]["labels"][number], string>;

export const metricNames = Object.keys(metricTable) as MetricName[];

function row<Kind extends MetricRow["kind"], const Labels extends readonly string[] = readonly []>(
  kind: Kind,
  from: MetricRow["from"],
  help: string,
  labels?: Labels,
  buckets?: readonly number[],
) {
  // Without labels the type parameter is the empty list.
  return { kind, from, help, labels: (labels ?? []) as Labels, ...(buckets === undefined ? {} : { buckets }) };
}
