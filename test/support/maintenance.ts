// Maintenance windows on a stage (stage.ts), for the tests of what they do: schedules them, lets what is due happen, and
// reads what accounts were told.

import { sql } from "kysely";
import { beforeEach } from "vitest";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { type Host, readHost } from "../../src/rental/capacity/host-reading.ts";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import { scheduleWindows, type WindowOrder } from "../../src/rental/maintenance/schedule.ts";
import type { MaintenanceWindow } from "../../src/rental/maintenance/window.ts";
import { type ReadWindow, readWindow } from "../../src/rental/maintenance/window-store.ts";
import type { Launched, Stage } from "./stage.ts";
import { travel } from "./time-travel.ts";

export interface ToldEvent {
  readonly type: string;
  readonly account_id: string | null;
  readonly data: Record<string, unknown>;
}

export const inHours = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);

/** For the tests of a file: before each, no windows of the test before, a host, a reconciler and an operator's account. */
export function maintenanceOfFile(stage: Stage): Maintenance {
  const maintenance = new Maintenance(stage);
  beforeEach(() => maintenance.open());
  return maintenance;
}

export class Maintenance {
  readonly #stage: Stage;
  #host = "";
  #by = "";
  #reconciler: Reconciler | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async open(): Promise<void> {
    await sql`delete from maintenance_windows`.execute(this.#stage.db);
    this.#host = await this.#stage.host({ gpus: 4 });
    this.#reconciler = this.#stage.reconciler();
    ({ accountId: this.#by } = await this.#stage.world.account());
  }

  get host(): string {
    return this.#host;
  }

  /** The operator's account. */
  get by(): string {
    return this.#by;
  }

  get reconciler(): Reconciler {
    if (this.#reconciler === undefined) throw new Error("the stage is opened before each test");
    return this.#reconciler;
  }

  /** Another one, after the former was stopped. */
  restart(): void {
    this.#reconciler = this.#stage.reconciler();
  }

  /** In an hour, for two hours, unless told. */
  async schedule(order: Partial<WindowOrder> = {}): Promise<MaintenanceWindow> {
    const usual = {
      host: this.#host,
      selector: undefined,
      deferrableUntil: null,
      reason: "New firmware",
      mode: "stop" as const,
    };
    const times = { beginsAt: inHours(1), endsAt: inHours(3) };
    const [window] = await this.#stage.world.tx((tx) =>
      scheduleWindows(tx, { ...usual, ...times, ...order }, this.#by),
    );
    if (window === undefined) throw new Error("a window is scheduled, or the order refused");
    return window;
  }

  read(): Promise<Host> {
    return readHost(this.#stage.db, this.#host);
  }

  window(id: string): Promise<ReadWindow> {
    return readWindow(this.#stage.db, id);
  }

  /** All that is due happens, and machines come to rest. */
  async run(): Promise<void> {
    // What was still halting when the window ended starts again with the second run.
    for (const _ of [1, 2]) {
      await runWindows(this.#stage.db, { isBilled: false });
      await this.reconciler.idle();
    }
  }

  async later(hours: number): Promise<void> {
    await travel(this.#stage.db, `${hours} hours`);
    await this.run();
  }

  async active(): Promise<Launched> {
    const launched = await this.#stage.launchOne();
    await this.reconciler.idle();
    return launched;
  }

  async told(id: string): Promise<ToldEvent[]> {
    const { rows } = await sql<ToldEvent>`
      select type, account_id, data from events where subject_id = ${id} order by position`.execute(this.#stage.db);
    return rows;
  }

  /** What the account was told of the window; null: operators. */
  async toldTo(id: string, accountId: string | null): Promise<string[]> {
    const own = (await this.told(id)).filter((event) => event.account_id === accountId);
    return own.map(({ type }) => type.replace("maintenance.", ""));
  }
}
