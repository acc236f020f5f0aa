// Hosts for operators: their total and free capacity, and which instance has which GPU. Read by the control interface;
// no decision depends on it (placement.ts decides, under locks).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { availabilityPercent } from "../../rules/downtime.ts";
import { asGpuState, type GpuState, type Verdict } from "../../rules/gpu-lifecycle.ts";
import {
  type HealthSeverity,
  type HostFinding,
  healthCodeNamed,
  healthCodeNames,
  isHealthSeverity,
} from "../../rules/host-health.ts";
import { asHostMode, asHostState, drainingMode, type HostMode, type HostState } from "../../rules/host-lifecycle.ts";
import { asState, type State } from "../../rules/lifecycle.ts";
import { asDrainMode, type DrainMode, initialDrainMode } from "../../rules/moves.ts";
import { RentalError } from "../errors.ts";
import { estimate, estimated } from "../gpus/returning.ts";
import { hasLabels } from "../hosts/labels.ts";
import { type HostTime, timeOfHost } from "../hosts/outages.ts";
import type { WantedTag } from "../instances/tags.ts";
import { instancesOn } from "../moving/move-sql.ts";
import { everything, type Page } from "../paging.ts";
import type { RegisteredGpu } from "./host-registry.ts";
import type { HostOverrides } from "./overrides.ts";

export interface Host {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly freeVcpus: number;
  readonly freeMemoryGib: number;
  readonly freeStorageGb: number;
  readonly state: HostState;
  readonly stateSince: Date;
  /** What operators decided, and its state whenever it is available. */
  readonly mode: HostMode;
  /** How it is emptied; null: it is not draining. */
  readonly drainMode: DrainMode | null;
  /** Why they did; null: not said. */
  readonly modeReason: string | null;
  /** The name of the account that did; null: none has. */
  readonly modeBy: string | null;
  /** Whether its engine reports it as available. */
  readonly available: boolean;
  /** The last time that its engine reached it, while it does not; null while it does. */
  readonly unreachableSince: Date | null;
  /** Since when it is verified to be off; null: it is not. */
  readonly offSince: Date | null;
  /** Problems of a host that responds, at most one of each code. */
  readonly health: readonly StoredFinding[];
  /** The share of the last 30 days that its engine reached it, or of the time that it is known; null: of no time. */
  readonly availabilityPercent: number | null;
  /** How many instances hold capacity of it; one that moves holds it on two. */
  readonly instances: number;
  /** An operator's; empty: none. */
  readonly note: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sharedStorage: boolean;
  readonly multiAttach: boolean;
  /** An operator's overrides of a discovered host; null: none. */
  readonly overrides: HostOverrides | null;
  /** By address. */
  readonly gpus: readonly HostGpu[];
}

/** A finding, and since when it has its severity. */
export interface StoredFinding extends HostFinding {
  readonly since: Date;
}

export interface HostGpu extends RegisteredGpu {
  readonly healthy: boolean;
  readonly state: GpuState;
  /** When it is expected to be free again; null: no estimate. */
  readonly backAt: Date | null;
  /** Why it is quarantined; null: it is not. */
  readonly reason: string | null;
  /** The last one that is over; null: none. */
  readonly lastValidation: { readonly at: Date; readonly verdict: Verdict } | null;
  /** The instance that uses it. */
  readonly heldBy: string | null;
  /** The state of that instance. */
  readonly holderState: State | null;
}

/** Which hosts are meant. */
export interface HostFilter {
  /** Those that have all of these labels. */
  readonly selector?: readonly WantedTag[];
  /** Those with a finding of this severity. */
  readonly severity?: HealthSeverity | undefined;
}

/** The hosts that match, by name. */
export async function listHosts(
  db: Database,
  page: Page = everything,
  { selector = [], severity }: HostFilter = {},
): Promise<Host[]> {
  const wanted = [
    ...(selector.length === 0 ? [] : [hasLabels(sql`h.labels`, selector)]),
    ...(severity === undefined
      ? []
      : [sql`h.name in (select f.host from host_findings f where f.severity = ${severity})`]),
  ];
  // "" comes before every name; with `or`, a prepared plan would read all hosts before the page.
  const where = sql.join([sql`h.name > ${page.after ?? ""}`, ...wanted], sql` and `);
  return select(db, sql`where ${where}`, page.limit);
}

/** Throws RentalError unknown-object. */
export async function readHost(db: Database, name: string): Promise<Host> {
  const [host] = await select(db, sql`where h.name = ${name}`, 1);
  if (host === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  return host;
}

/** `limit null` means no limit in SQL. */
async function select(db: Database, where: ReturnType<typeof sql>, limit: number | undefined): Promise<Host[]> {
  const { rows } = await sql<HostRow>`
    select h.name, h.engine, h.region, h.vcpus, h.memory_gib, h.storage_gb,
      h.free_vcpus, h.free_memory_gib, h.free_storage_gb, h.available, h.shared_storage, h.multi_attach, h.overrides,
      h.state, h.state_since, h.unreachable_since, h.off_since, h.mode, h.drain_mode, h.mode_reason, h.note, h.labels,
      (select a.name from accounts a where a.id = h.mode_by) as mode_by, ${timeOfHost} as time,
      (select coalesce(jsonb_agg(jsonb_build_object('code', f.code, 'severity', f.severity, 'message', f.message,
        'since', f.since)), '[]') from host_findings f where f.host = h.name) as health,
      ${instancesOn(sql`h.name`)} as instances,
      coalesce((select jsonb_agg(jsonb_build_object('address', g.address, 'model', g.model, 'memory_gib', g.memory_gib,
          'numa_node', g.numa_node, 'healthy', g.healthy, 'state', g.state, 'back', ${estimated}, 'reason', g.reason,
          'last_validated_at', g.last_validated_at, 'last_verdict', g.last_verdict, 'instance_id', g.instance_id, 'holder_state', i.state) order by g.address)
        from gpus g left join instances i on i.id = g.instance_id where g.host = h.name), '[]') as gpus
    from hosts h ${where} order by h.name limit ${limit ?? null}`.execute(db);
  return rows.map(fromRow);
}

interface HostRow {
  name: string;
  engine: string;
  region: string;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  free_vcpus: number;
  free_memory_gib: number;
  free_storage_gb: number;
  available: boolean;
  state: string;
  state_since: Date;
  unreachable_since: Date | null;
  off_since: Date | null;
  mode: string;
  drain_mode: string | null;
  mode_reason: string | null;
  mode_by: string | null;
  note: string;
  labels: Record<string, string>;
  time: HostTime;
  health: { code: string; severity: string; message: string; since: string }[];
  instances: number;
  shared_storage: boolean;
  multi_attach: boolean;
  overrides: HostOverrides | null;
  gpus: {
    address: string;
    model: string;
    memory_gib: number;
    numa_node: number;
    healthy: boolean;
    state: string;
    back: Parameters<typeof estimate>[0];
    reason: string | null;
    last_validated_at: string | null;
    last_verdict: Verdict | null;
    instance_id: string | null;
    holder_state: string | null;
  }[];
}

function fromRow(row: HostRow): Host {
  return {
    name: row.name,
    engine: row.engine,
    region: row.region,
    vcpus: row.vcpus,
    memoryGib: row.memory_gib,
    storageGb: row.storage_gb,
    freeVcpus: row.free_vcpus,
    freeMemoryGib: row.free_memory_gib,
    freeStorageGb: row.free_storage_gb,
    state: asHostState(row.state),
    stateSince: row.state_since,
    mode: asHostMode(row.mode),
    drainMode: row.mode === drainingMode ? asDrainMode(row.drain_mode ?? initialDrainMode) : null,
    modeReason: row.mode_reason,
    modeBy: row.mode_by,
    available: row.available,
    unreachableSince: row.unreachable_since,
    offSince: row.off_since,
    health: healthFrom(row.health),
    availabilityPercent: availabilityPercent(row.time.knownSeconds, row.time.outageSeconds),
    instances: row.instances,
    note: row.note,
    labels: row.labels,
    sharedStorage: row.shared_storage,
    multiAttach: row.multi_attach,
    overrides: row.overrides,
    gpus: row.gpus.map((gpu) => ({
      address: gpu.address,
      model: gpu.model,
      memoryGib: gpu.memory_gib,
      numaNode: gpu.numa_node,
      healthy: gpu.healthy,
      state: asGpuState(gpu.state),
      backAt: estimate(gpu.back),
      reason: gpu.reason,
      lastValidation:
        gpu.last_validated_at === null || gpu.last_verdict === null
          ? null
          : { at: new Date(gpu.last_validated_at), verdict: gpu.last_verdict },
      heldBy: gpu.instance_id,
      holderState: gpu.holder_state === null ? null : asState(gpu.holder_state),
    })),
  };
}

/** In the order of the table of findings. One of a later version is left out: its words are not known here. */
function healthFrom(rows: HostRow["health"]): StoredFinding[] {
  const found = rows.flatMap(({ code, severity, message, since }) => {
    const known = healthCodeNamed(code);
    if (known === undefined || !isHealthSeverity(severity)) return [];
    return [{ code: known, severity, message, since: new Date(since) }];
  });
  return found.sort((one, other) => healthCodeNames.indexOf(one.code) - healthCodeNames.indexOf(other.code));
}
