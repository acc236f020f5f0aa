// Hosts for operators: their total and free capacity, and which instance has which GPU. Read by the control interface;
// no decision depends on it (placement.ts decides, under locks).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { asHostMode, asHostState, type HostMode, type HostState } from "../../rules/host-lifecycle.ts";
import { asState, finalState, type State } from "../../rules/lifecycle.ts";
import { RentalError } from "../errors.ts";
import type { WantedTag } from "../instances/tags.ts";
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
  /** Why they did; null: not said. */
  readonly modeReason: string | null;
  /** The name of the account that did; null: none has. */
  readonly modeBy: string | null;
  /** Whether its engine reports it as available. */
  readonly available: boolean;
  /** The last time that its engine reached it, while it does not; null while it does. */
  readonly unreachableSince: Date | null;
  /** How many instances hold capacity of it. */
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

export interface HostGpu extends RegisteredGpu {
  readonly healthy: boolean;
  /** The instance that uses it. */
  readonly heldBy: string | null;
  /** The state of that instance. */
  readonly holderState: State | null;
}

/** All hosts by name; with a selector those that have all of its labels. */
export async function listHosts(
  db: Database,
  page: Page = everything,
  selector: readonly WantedTag[] = [],
): Promise<Host[]> {
  const wanted = selector.map(({ key, value }) =>
    value === undefined ? sql`h.labels ? ${key}` : sql`h.labels @> ${JSON.stringify({ [key]: value })}::jsonb`,
  );
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
      h.state, h.state_since, h.unreachable_since, h.mode, h.mode_reason, h.note, h.labels,
      (select a.name from accounts a where a.id = h.mode_by) as mode_by,
      (select count(*)::integer from instances i where i.host = h.name and i.state <> ${sql.lit(finalState)}) as instances,
      coalesce((select jsonb_agg(jsonb_build_object('address', g.address, 'model', g.model, 'memory_gib', g.memory_gib,
          'numa_node', g.numa_node, 'healthy', g.healthy, 'instance_id', g.instance_id, 'holder_state', i.state) order by g.address)
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
  mode: string;
  mode_reason: string | null;
  mode_by: string | null;
  note: string;
  labels: Record<string, string>;
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
    modeReason: row.mode_reason,
    modeBy: row.mode_by,
    available: row.available,
    unreachableSince: row.unreachable_since,
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
      heldBy: gpu.instance_id,
      holderState: gpu.holder_state === null ? null : asState(gpu.holder_state),
    })),
  };
}
