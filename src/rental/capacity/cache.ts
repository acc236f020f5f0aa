// The hosts' room, kept in memory, so that neither a listing nor a launch scans 10,000 hosts: each look asks the database
// only for the hosts that changed since the last look, and keeps one number per instance type and region current, and
// the hosts in the order in which launches should take them.
// Invariant: a view is never older than the moment it was asked for, on any replica; what a launch acknowledged
// anywhere is in it. Launches are proposed hosts (proposal.ts) and never decide by it: reserve-together.ts and placement.ts
// do, under locks.
//
// How "changed since" is exact without one hot row. Every hosts row carries the id of the transaction that last wrote it
// (a trigger sets it). A snapshot's xmin is the oldest transaction that was still running when it was taken; everything
// before it was visible then. So `changed_in >= xmin of the last snapshot` finds every change not seen yet, however
// late its transaction commits, at the price of now and then reading a row twice. A removal that is read twice must not
// remove a host that is there again, perhaps added by a transaction older than the removal: so only the removals of
// hosts that are not there count. Both ids are counted by a clock that goes on in another cluster
// (database/logical-clock.ts). In another run of the database server (freshness.ts) everything is read anew.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { serverRun } from "../freshness.ts";
import type { InstanceType } from "../instances/instance.ts";
import { HostOrder } from "./host-order.ts";
import { howManyFit, type Room } from "./requirements.ts";

/** How many instances of each product fit now, by product name and then by region name. Zeros are left out. */
export type CapacityView = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface MirroredHost extends Room {
  readonly name: string;
  readonly engine: string;
  readonly region: string;
  readonly open: boolean;
}

export class CapacityCache {
  readonly #db: Database;
  readonly #hosts = new Map<string, MirroredHost>();
  /** The open ones, as of the last look. */
  readonly order = new HostOrder();
  #products: readonly InstanceType[] = [];
  #productsKey = "[]";
  #view = new Map<string, Map<string, number>>();
  #seenUpTo = "0";
  /** The run of the database server in which that was. */
  #run = "";
  /** Ends when the last look that was asked for has ended, well or not. */
  #last: Promise<void> = Promise.resolve();
  /** The look that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The capacity of these products, as it is now or later. */
  async view(products: readonly InstanceType[]): Promise<CapacityView> {
    await this.refresh();
    this.#useProducts(products);
    return this.#view;
  }

  /**
   * Comes back when everything is known that was committed before the call.
   *
   * One look at a time, in order: results applied out of order would bring old rows back. A caller may not share a look
   * that began before it asked, so whoever comes while one is running shares the next one, and so do all who come
   * before that one begins. One chain of promises, because a flag for "running" is down for some ticks between the end
   * of a look and the start of the next, and whoever asks in that moment would begin a second one.
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

  async #look(): Promise<void> {
    const { rows } = await sql<{ horizon: string; run: string; removed: string[]; changed: HostRow[] }>`
      select logical_horizon()::text as horizon, ${serverRun} as run,
        coalesce((select jsonb_agg(r.name) from removed_hosts r where r.changed_in >= ${this.#seenUpTo}::xid8
          and not exists (select from hosts h where h.name = r.name)), '[]') as removed,
        coalesce((select jsonb_agg(jsonb_build_object('name', h.name, 'engine', h.engine, 'region', h.region, 'open', h.available and not h.cordoned,
            'vcpus', h.free_vcpus, 'memory_gib', h.free_memory_gib, 'storage_gb', h.free_storage_gb,
            'gpus', (select jsonb_object_agg(p.model, p.free) from gpu_pools p where p.host = h.name)))
          from hosts h where h.changed_in >= ${this.#seenUpTo}::xid8), '[]') as changed`.execute(this.#db);
    const row = rows[0];
    if (row === undefined) throw new Error("BUG: a select without from gave no row");
    if (row.run !== this.#run) {
      const isFirst = this.#seenUpTo === "0";
      [this.#run, this.#seenUpTo] = [row.run, "0"];
      if (!isFirst) return this.#look();
    }
    for (const name of row.removed) this.#replace(name, undefined);
    for (const host of row.changed) this.#replace(host.name, fromRow(host));
    this.#seenUpTo = row.horizon;
  }

  #replace(name: string, host: MirroredHost | undefined): void {
    const before = this.#hosts.get(name);
    if (before?.open === true) {
      this.order.remove(before);
      this.#count(before, -1);
    }
    if (host === undefined) this.#hosts.delete(name);
    else this.#hosts.set(name, host);
    if (host?.open === true) {
      this.order.add(host);
      this.#count(host, 1);
    }
  }

  #count(host: MirroredHost, sign: 1 | -1): void {
    for (const product of this.#products) {
      const fits = howManyFit(host, product);
      if (fits === 0) continue;
      const regions = this.#view.get(product.name) ?? new Map<string, number>();
      const total = (regions.get(host.region) ?? 0) + sign * fits;
      if (total === 0) regions.delete(host.region);
      else regions.set(host.region, total);
      this.#view.set(product.name, regions);
    }
  }

  /** The catalogue changes rarely; when it did, everything is counted anew. */
  #useProducts(products: readonly InstanceType[]): void {
    const key = JSON.stringify(products);
    if (key === this.#productsKey) return;
    this.#products = products;
    this.#productsKey = key;
    this.#view = new Map();
    for (const host of this.#hosts.values()) if (host.open) this.#count(host, 1);
  }
}

interface HostRow {
  name: string;
  engine: string;
  region: string;
  open: boolean;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  gpus: Record<string, number> | null;
}

function fromRow(row: HostRow): MirroredHost {
  return {
    name: row.name,
    engine: row.engine,
    region: row.region,
    open: row.open,
    freeVcpus: row.vcpus,
    freeMemoryGib: row.memory_gib,
    freeStorageGb: row.storage_gb,
    freeGpus: new Map(Object.entries(row.gpus ?? {})),
  };
}
