// NVSwitch partitions for operators: which GPUs each has, and for whom it is active. Read by the control interface and
// metrics; no decision depends on it (calls.ts decides, under the lock of the host).

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../../database/connect.ts";
import type { PartitionState } from "../../../rules/gpu-partitions.ts";
import { everything, type Page } from "../../paging.ts";
import { isReady, mightBeActive } from "./partition-sql.ts";

export interface GpuPartition {
  readonly host: string;
  /** The fabric manager's own, unique on its host. */
  readonly id: string;
  /** Of its GPUs, in order. */
  readonly addresses: readonly string[];
  readonly state: PartitionState;
  /** The instance that has exactly its GPUs; null: none, or a validation. */
  readonly instanceId: string | null;
  /** How often what it needs was tried in vain, since its state is so. */
  readonly failures: number;
  /** As the helper of its host prints it. */
  readonly fabricManager: string | null;
  /** Of that version; null: not known. */
  readonly driverBranch: string | null;
}

export interface PartitionFilter {
  readonly state?: PartitionState | undefined;
  readonly host?: string | undefined;
}

/** Of a row `p` of gpu_partitions. */
export const partitionState: RawBuilder<PartitionState> = sql<PartitionState>`(case
  when ${isReady} then ${sql.lit("active" satisfies PartitionState)}
  when p.active_for is not null and p.active_for is distinct from p.wanted_for
    then ${sql.lit("deactivating" satisfies PartitionState)}
  when p.wanted_for is not null then ${sql.lit("activating" satisfies PartitionState)}
  when ${mightBeActive} then ${sql.lit("deactivating" satisfies PartitionState)}
  else ${sql.lit("inactive" satisfies PartitionState)} end)`;

/** What it is ordered by in a page: no host's name has a space. */
export const partitionKey = ({ host, addresses, id }: Pick<GpuPartition, "host" | "addresses" | "id">) =>
  `${host} ${addresses.length} ${id}`;

/** Those that match, by host and size, the largest first. `after` of the page: a partitionKey. */
export async function listPartitions(
  db: Database,
  page: Page = everything,
  { state, host }: PartitionFilter = {},
): Promise<GpuPartition[]> {
  const wanted = [
    ...(state === undefined ? [] : [sql`${partitionState} = ${state}`]),
    ...(host === undefined ? [] : [sql`p.host = ${host}`]),
    ...(page.after === undefined ? [] : [isAfter(page.after)]),
  ];
  const { rows } = await sql<GpuPartition>`
    select p.host, p.id, p.addresses, ${partitionState} as state,
      (select i.id from instances i where i.id = p.wanted_for) as "instanceId", p.failures,
      f.version as "fabricManager", f.branch as "driverBranch"
    from gpu_partitions p join gpu_fabrics f on f.host = p.host
    where ${wanted.length === 0 ? sql`true` : sql.join(wanted, sql` and `)}
    order by p.host, -p.size, p.id limit ${page.limit ?? null}`.execute(db);
  return rows;
}

function isAfter(key: string): RawBuilder<boolean> {
  const [host, size, ...id] = key.split(" ");
  return sql<boolean>`(p.host, -p.size, p.id) > (${host}, ${-Number(size)}::integer, ${id.join(" ")})`;
}
