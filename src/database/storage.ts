// Whether the database has space to write, for readiness and for code that creates rows (http/). Two sources: the
// reserve of the embedded server's data directory, which detects a disk before it is full (embedded/disk-reserve.ts),
// and the errors of statements, the only source for another server's disk.
//
// Invariant: it recovers by itself. After an error a probe runs every two seconds until the database can write again,
// and as long as a reserve is released its disk is checked.

import { sql } from "kysely";
import type { Database } from "./connect.ts";

/** The view for other modules. */
export interface StorageState {
  /** There is no space, or so little that it is reserved for terminating instances. */
  readonly isFull: boolean;
}

/** Reserved space (embedded/disk-reserve.ts). */
export interface Reserve {
  readonly isReleased: boolean;
  /** Releases the space now, without a check. */
  release(): void;
}

export interface StorageParts {
  /** Resolves when the database could write. */
  readonly probe: () => Promise<unknown>;
  /** Undefined: the database is on another machine, and its operator keeps a reserve. */
  readonly reserve?: Reserve | undefined;
  readonly log: (line: string) => void;
  /** Between two probes. 2000. */
  readonly probeMs?: number;
}

export class Storage implements StorageState {
  readonly #parts: StorageParts;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#timer !== undefined || this.#parts.reserve?.isReleased === true;
  }

  /** A statement failed for lack of space. */
  note(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#parts.log("the database is out of space left: nothing is created until it has");
    this.#parts.reserve?.release();
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(): void {
    this.#timer = setTimeout(() => void this.#probe(), this.#parts.probeMs ?? 2_000).unref();
  }

  async #probe(): Promise<void> {
    const wrote = await this.#parts.probe().then(
      () => true,
      () => false,
    );
    if (this.#isStopped) return;
    if (!wrote) return this.#later();
    this.#timer = undefined;
    this.#parts.log("the database has space again");
  }
}

/** Rows of a KiB: more than existing files have to spare. */
const probeRows = 1024;

/** Writes a MiB into a table that only this transaction sees, and rolls back. Throws what the database throws. */
export async function writeProbe(db: Database): Promise<void> {
  const undone = new Error("undone");
  try {
    await db.transaction().execute(async (tx) => {
      await sql`create temporary table storage_probe (filler text) on commit drop`.execute(tx);
      await sql`insert into storage_probe select repeat('x', 1024) from generate_series(1, ${sql.lit(probeRows)})`.execute(
        tx,
      );
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
}
