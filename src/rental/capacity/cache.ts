// The capacity cache: hosts in memory, so that neither listings nor launches scan 10,000 hosts. Each refresh reads only
// the hosts that changed since the last one, and updates one number per instance type and region, and the order in
// which launches should use hosts. Invariant: a view is never older than its request, on any replica, and contains
// every acknowledged launch. The cache only proposes hosts (proposal.ts); reserve-together.ts and placement.ts decide
// under locks.
//
// How "changed since" is exact without one hot row: every hosts row has the id of the transaction that last wrote it
// (set by a trigger). A snapshot's xmin is the oldest transaction that was running when it was taken; everything before
// it was visible. So `changed_in >= xmin of the last snapshot` finds every unseen change, however late it commits, and
// occasionally reads a row twice. A removal that is read twice must not remove a host that exists again, possibly by an
// older transaction: so only removals of hosts that do not exist count. Both ids use a clock that continues in another
// cluster (database/logical-clock.ts). After a restart of the database server (freshness.ts) everything is read again.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { serverRun } from "../freshness.ts";
import { isOffered } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";
import { HostOrder } from "./host-order.ts";
import { couldUse, type Earmark, earmarkOf, type LineRow, lineFrom, lineRows } from "./line.ts";
import { type GpuType, needsPerGpu } from "./needs-per-gpu.ts";
import { type PromisedRoom, type PromisedRow, promisedFrom, promisedOn, roomUntil } from "./promised.ts";
import { type GpuPool, howManyFit } from "./requirements.ts";

/**
 * How many instances of each type currently fit that have no end, by type name and then by region name. Zeros are left
 * out.
 */
export type CapacityView = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface MirroredHost extends PromisedRoom {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  /** Undefined: none. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Of its fabric manager. Undefined: none, or not known. */
  readonly driverBranch: string | undefined;
  readonly earmark: Earmark | undefined;
  readonly open: boolean;
}

export class CapacityCache {
  readonly #db: Database;
  readonly #pageLength: number;
  readonly #hosts = new Map<string, MirroredHost>();
  /** Those that are kept for a waiting launch. */
  readonly #earmarked = new Set<string>();
  /** Schedulable hosts as of the last refresh. */
  readonly order = new HostOrder();
  #products: readonly InstanceType[] = [];
  #productsKey = "[]";
  #view = new Map<string, Map<string, number>>();
  #seenUpTo = "0";
  /** The last change of the catalog that `order` knows of; null: none. */
  #catalog: string | null = null;
  /** The run of the database server at the last refresh. */
  #run = "";
  /** Settles when the last requested refresh has ended, successfully or not. */
  #last: Promise<void> = Promise.resolve();
  /** The refresh that has not started yet. */
  #next: Promise<void> | undefined;

  /** `pageLength`: a parameter for the test. */
  constructor(db: Database, pageLength = PAGE) {
    this.#db = db;
    this.#pageLength = pageLength;
  }

  /** The capacity of these instance types, not older than the call. */
  async view(products: readonly InstanceType[]): Promise<CapacityView> {
    await this.refresh();
    this.#useProducts(products);
    return this.#withoutKept();
  }

  /**
   * Resolves when everything is known that was committed before the call.
   *
   * Refreshes run one at a time, in order: out of order, old rows would replace new ones. A caller must not share a
   * refresh that started earlier, so all callers during one share the next. One chain of promises, because a "running"
   * flag would be unset for some ticks between two refreshes, in which a second one could start.
   */
  refresh(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    this.#next = this.#last.then(() => {
      this.#next = undefined;
      return this.#look();
    });
    this.#last = this.#next.catch(() => {});
    return this.#next;
  }

  /**
   * The first look, and one after which very many hosts have changed, reads all hosts, page by page: for 100,000 one
   * statement would take longer than any may. A page is newer than the horizon, which is that of the first statement, so
   * what changes meanwhile is read again next time.
   */
  async #look(): Promise<void> {
    const isWhole = this.#seenUpTo === "0";
    const changed = isWhole
      ? pageAfter("", this.#pageLength)
      : sql`select * from hosts where changed_in >= ${this.#seenUpTo}::xid8 limit ${sql.lit(this.#pageLength)}`;
    const { rows } = await sql<Seen>`
      select logical_horizon()::text as horizon, ${serverRun} as run, c.catalog,
        case when c.catalog is distinct from ${this.#catalog} then (select jsonb_agg(jsonb_build_object('gpuModel', t.gpu_model,
          'gpus', t.gpus, 'vcpus', t.vcpus, 'memoryGib', t.memory_gib)) from instance_types t) end as types,
        coalesce((select jsonb_agg(r.name) from removed_hosts r where r.changed_in >= ${this.#seenUpTo}::xid8
          and not exists (select from hosts h where h.name = r.name)), '[]') as removed,
        coalesce((select jsonb_agg(l) from (${lineRows}) l), '[]') as lines, ${rowsOf(changed)} as changed
      from (select max(tx)::text as catalog from catalog_changes) c`.execute(this.#db);
    const row = rows[0];
    if (row === undefined) throw new Error("BUG: a select without from gave no row");
    if (row.run !== this.#run) {
      const isFirst = this.#seenUpTo === "0";
      [this.#run, this.#seenUpTo, this.#catalog] = [row.run, "0", null];
      if (!isFirst) return this.#look();
    }
    if (row.types !== null) this.order.useNeeds(needsPerGpu(row.types));
    this.#catalog = row.catalog;
    this.order.lines = row.lines.map(lineFrom);
    for (const name of row.removed) this.#drop(name);
    this.#replace(row.changed);
    const isAll = row.changed.length < this.#pageLength;
    let after = isAll ? undefined : isWhole ? row.changed.at(-1)?.name : "";
    while (after !== undefined) {
      const page = sql<{ hosts: HostRow[] }>`select ${rowsOf(pageAfter(after, this.#pageLength))} as hosts`;
      const hosts = (await page.execute(this.#db)).rows[0]?.hosts ?? [];
      this.#replace(hosts);
      after = hosts.at(-1)?.name;
    }
    this.#seenUpTo = row.horizon;
  }

  #replace(rows: readonly HostRow[]): void {
    for (const { name } of rows) this.#drop(name);
    this.#addAll(rows.map(fromRow));
  }

  #drop(name: string): void {
    const before = this.#hosts.get(name);
    this.#hosts.delete(name);
    this.#earmarked.delete(name);
    if (before?.open !== true) return;
    this.order.remove(before);
    this.#count(before, -1);
  }

  #addAll(hosts: readonly MirroredHost[]): void {
    for (const host of hosts) {
      this.#hosts.set(host.name, host);
      if (host.earmark !== undefined) this.#earmarked.add(host.name);
    }
    const schedulable = hosts.filter(({ open }) => open);
    this.order.addAll(schedulable);
    for (const host of schedulable) this.#count(host, 1);
  }

  /** Without what is kept for waiting launches: few hosts, because what they fit on they are placed on. Spot keeps nothing. */
  #withoutKept(): CapacityView {
    const kept = new Set(this.#earmarked);
    for (const line of this.order.lines.filter(({ isSpot }) => !isSpot)) {
      const { product, region, bound } = line;
      for (const one of region === undefined ? this.order.regions(product, bound) : [region]) {
        for (const host of this.order.bestFirst(one, product, bound)) if (couldUse(host, line)) kept.add(host.name);
      }
    }
    if (kept.size === 0) return this.#view;
    const view = new Map([...this.#view].map(([name, regions]) => [name, new Map(regions)]));
    for (const name of kept) {
      const host = this.#hosts.get(name);
      if (host?.open === true) this.#count(host, -1, view);
    }
    return view;
  }

  #count(host: MirroredHost, sign: 1 | -1, view = this.#view): void {
    const room = roomUntil(host);
    for (const product of this.#products) {
      const fits = howManyFit(room, product);
      if (fits === 0) continue;
      const regions = view.get(product.name) ?? new Map<string, number>();
      const total = (regions.get(host.region) ?? 0) + sign * fits;
      if (total === 0) regions.delete(host.region);
      else regions.set(host.region, total);
      view.set(product.name, regions);
    }
  }

  /** The catalog changes rarely; then everything is counted again. */
  #useProducts(products: readonly InstanceType[]): void {
    const key = JSON.stringify(products);
    if (key === this.#productsKey) return;
    this.#products = products;
    this.#productsKey = key;
    this.#view = new Map();
    for (const host of this.#hosts.values()) if (host.open) this.#count(host, 1);
  }
}

/** Some milliseconds of work here and 0.1 s for PostgreSQL. */
const PAGE = 2000;

const pageAfter = (name: string, length: number) =>
  sql`select * from hosts where name > ${name} order by name limit ${sql.lit(length)}`;

/** A subquery: these rows of hosts by name, with their GPUs. */
const rowsOf = (hosts: RawBuilder<unknown>) => sql`
  coalesce((select json_agg(json_build_object('name', h.name, 'engine', h.engine, 'region', h.region,
      'labels', nullif(h.labels, '{}'),
      'branch', (select f.branch from gpu_fabrics f where f.host = h.name), 'open', ${acceptsInstances(sql`h.state`)},
      'earmark_position', h.earmark_position, 'earmark_from', h.earmark_from, 'promised', ${promisedOn},
      'vcpus', h.free_vcpus, 'memory_gib', h.free_memory_gib, 'storage_gb', h.free_storage_gb,
      'gpus', (select json_object_agg(p.model, json_build_object('total', p.total, 'free', p.free, 'fits', p.fits, 'nodes',
        (select json_agg(n.free) from (
          select count(*) filter (where ${isOffered(sql`g.state`)} and g.healthy) as free
          from gpus g where g.host = p.host and g.model = p.model group by g.numa_node order by g.numa_node) n)))
        from gpu_pools p where p.host = h.name)) order by h.name)
    from (${hosts}) h), '[]')`;

interface Seen {
  horizon: string;
  run: string;
  catalog: string | null;
  /** All of the catalog, if it has changed. */
  types: GpuType[] | null;
  removed: string[];
  lines: LineRow[];
  changed: HostRow[];
}

interface HostRow {
  name: string;
  engine: string;
  region: string;
  labels: Record<string, string> | null;
  branch: string | null;
  earmark_position: number | null;
  earmark_from: string | null;
  promised: PromisedRow[] | null;
  open: boolean;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  gpus: Record<string, PoolRow> | null;
}

interface PoolRow {
  total: number;
  free: number;
  fits: Record<string, number> | null;
  nodes: number[] | null;
}

function fromRow(row: HostRow): MirroredHost {
  return {
    name: row.name,
    engine: row.engine,
    region: row.region,
    labels: row.labels ?? undefined,
    driverBranch: row.branch ?? undefined,
    earmark: earmarkOf(row.earmark_position, row.earmark_from),
    promised: promisedFrom(row.promised),
    open: row.open,
    freeVcpus: row.vcpus,
    freeMemoryGib: row.memory_gib,
    freeStorageGb: row.storage_gb,
    gpus: new Map(Object.entries(row.gpus ?? {}).map(([model, pool]) => [model, poolOf(pool)])),
  };
}

function poolOf({ total, free, fits, nodes }: PoolRow): GpuPool {
  const bySize =
    fits === null ? undefined : Object.entries(fits).map(([size, count]) => [Number(size), count] as const);
  return { total, free, freeByNode: nodes ?? [], fits: bySize && new Map(bySize) };
}
