// Counts launches that found no capacity and logs why, filter by filter (explain.ts), for operators. Limited to one
// report per second and instance type, because explaining scans hosts and must not add load to a full service.

import type { Database } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type CapacityExplanation, explain } from "./explain.ts";

export interface InsufficientCapacityReport {
  readonly instanceType: string;
  /** Launches rejected since the last report of this type. */
  readonly refused: number;
  readonly regions: readonly CapacityExplanation[];
}

const reportEveryMs = 1000;

export class InsufficientCapacity {
  readonly #db: Database;
  readonly #tell: (report: InsufficientCapacityReport) => void;
  readonly #refused = new Map<string, number>();

  /** `tell` gets each report; a report that fails is skipped. */
  constructor(db: Database, tell: (report: InsufficientCapacityReport) => void) {
    this.#db = db;
    this.#tell = tell;
  }

  /** A launch of the type found no capacity. Returns at once; the first is reported at once, later ones together. */
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
