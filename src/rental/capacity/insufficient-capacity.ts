// Counts the launches that found no room and tells why, filter by filter (explain.ts), so that an operator sees from the
// log what is missing. A storm of refusals is one report a second for each product: explaining scans hosts, and must not
// add load to a service that is full.

import type { Database } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type CapacityExplanation, explain } from "./explain.ts";

export interface InsufficientCapacityReport {
  readonly instanceType: string;
  /** Launches refused since the last report of this product. */
  readonly refused: number;
  readonly regions: readonly CapacityExplanation[];
}

const reportEveryMs = 1000;

export class InsufficientCapacity {
  readonly #db: Database;
  readonly #tell: (report: InsufficientCapacityReport) => void;
  readonly #refused = new Map<string, number>();

  /** `tell` gets each report; a report that fails for want of the database is left out. */
  constructor(db: Database, tell: (report: InsufficientCapacityReport) => void) {
    this.#db = db;
    this.#tell = tell;
  }

  /** A launch of the product found no room. Returns at once; the first is reported at once, those behind it together. */
  note(product: InstanceType): void {
    const counted = this.#refused.get(product.name);
    this.#refused.set(product.name, (counted ?? 0) + 1);
    if (counted === undefined) void this.#report(product);
  }

  async #report(product: InstanceType): Promise<void> {
    const refused = this.#refused.get(product.name) ?? 0;
    if (refused === 0) {
      this.#refused.delete(product.name);
      return;
    }
    this.#refused.set(product.name, 0);
    setTimeout(() => void this.#report(product), reportEveryMs).unref();
    const regions = await explain(this.#db, product).catch(() => undefined);
    if (regions !== undefined) this.#tell({ instanceType: product.name, refused, regions });
  }
}
