// Reads what guests of one engine report, every 15 seconds, and stores it: for the instances whose image has the agent.
// Started by ../reconciler.ts for each engine that can read guests; of all servers, one at a time does.
//
// Invariant: everything a guest sends is untrusted. Of each instance one line of limited size is looked at in each
// round, whatever it sends; it changes nothing but what is stored of that instance. The time of arrival counts. Nothing
// waits for what is read here, and what cannot be read is missing.

import { randomUUID } from "node:crypto";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { Engine } from "../../engines/engine.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import {
  instancesWithMetrics,
  leaveCollecting,
  type ReadInstance,
  takeCollecting,
} from "../../rental/guest-metrics/collecting.ts";
import { type InstanceFault, recordGpuFaults } from "../../rental/guest-metrics/gpu-faults.ts";
import { readLine, type Sample } from "../../rental/guest-metrics/sample.ts";
import { type ArrivedPoint, writePoints } from "../../rental/guest-metrics/write-samples.ts";
import { isUsed, noteUse, type SeenUse } from "../../rental/idle/watch-use.ts";
import { guestLines } from "../../rules/guest-metrics.ts";
import { engineCall } from "../engine-call.ts";
import { type Log, reason } from "../log.ts";
import type { Settings } from "../settings.ts";
import { FleetGauges } from "./fleet-gauges.ts";

export interface CollectorDependencies {
  readonly db: Database;
  readonly engine: Pick<Engine, "name" | "guestMetrics">;
  readonly settings: Pick<Settings, "engineCallSeconds">;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Machines per call of the engine: some megabytes of lines at most. */
const PAGE = 500;
/** Another server takes over after as many rounds without this one. */
const ROUNDS_OF_A_TERM = 3;

export class Collector {
  readonly #parts: CollectorDependencies;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  readonly #gauges: FleetGauges;
  /** The number of the last sample of each instance. */
  #last = new Map<string, number | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isCollecting = false;

  /** Does nothing on an engine that cannot read guests. */
  constructor(parts: CollectorDependencies) {
    this.#parts = parts;
    this.#gauges = new FleetGauges(parts.engine.name, parts.metrics);
    this.#schedule();
  }

  /** One round now. Throws what the database does. `at`: when lines arrive; for measurements. */
  async now(at = new Date()): Promise<void> {
    await this.#round;
    await this.#collect(at);
  }

  /** Stops it, and waits for the current round. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("reading of guests ends"));
    clearTimeout(this.#timer);
    await this.#round;
    const { db, engine, log } = this.#parts;
    if (!this.#isCollecting) return;
    await leaveCollecting(db, engine.name, this.#owner).catch((error: unknown) => {
      log.warn({ engine: engine.name, error: reason(error) }, "cannot leave the reading of guests to another server");
    });
  }

  /** In the middle of each time of a point, so that a round that is a little early or late is in the same one. */
  #schedule(): void {
    if (this.#stopping.signal.aborted || this.#parts.engine.guestMetrics === undefined) return;
    const everyMs = guestLines.everySeconds * 1000;
    const wait = everyMs - ((Date.now() + everyMs / 2) % everyMs);
    this.#timer = setTimeout(() => {
      this.#round = this.#run().finally(() => {
        this.#round = undefined;
        this.#schedule();
      });
    }, wait);
  }

  async #run(): Promise<void> {
    const { engine, log } = this.#parts;
    try {
      await this.#collect(new Date());
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log.warn({ engine: engine.name, error: reason(error) }, "reading guests failed");
    }
  }

  async #collect(at: Date): Promise<void> {
    const { db, engine } = this.#parts;
    const channel = engine.guestMetrics;
    if (channel === undefined) return;
    const there = await instancesWithMetrics(db, engine.name);
    const term = guestLines.everySeconds * ROUNDS_OF_A_TERM;
    // A service without such instances writes nothing.
    this.#isCollecting = there.length > 0 && (await takeCollecting(db, engine.name, this.#owner, term));
    const instances = this.#isCollecting ? there : [];
    const ids = new Set(instances.map(({ id }) => id));
    channel.keepOnly(ids);
    for (const id of this.#last.keys()) if (!ids.has(id)) this.#last.delete(id);
    this.#gauges.begin();
    for (let from = 0; from < instances.length && !this.#stopping.signal.aborted; from += PAGE) {
      await this.#readSome(instances.slice(from, from + PAGE), at);
    }
    this.#gauges.end(this.#isCollecting);
  }

  async #readSome(instances: readonly ReadInstance[], at: Date): Promise<void> {
    const { db, engine, settings, log } = this.#parts;
    const { signal } = this.#stopping;
    let lines: ReadonlyMap<string, Uint8Array>;
    try {
      lines = await engineCall(settings.engineCallSeconds, signal, async (late) => {
        return (await engine.guestMetrics?.readLines(instances, late)) ?? new Map<string, Uint8Array>();
      });
    } catch (error) {
      if (!signal.aborted) log.warn({ engine: engine.name, error: reason(error) }, "cannot read guests");
      return;
    }
    const points: ArrivedPoint[] = [];
    const faults: InstanceFault[] = [];
    const uses: SeenUse[] = [];
    for (const instance of instances) {
      const line = lines.get(instance.id);
      const sample = line === undefined ? undefined : this.#sampleOf(instance, line);
      if (sample === undefined) continue;
      points.push({ instanceId: instance.id, point: sample.point });
      faults.push(...sample.xids.map((one) => ({ ...one, instanceId: instance.id })));
      const used = isUsed(sample.point, instance.gpus);
      if (used !== undefined && instance.hasIdleRule) uses.push({ instanceId: instance.id, isUsed: used });
      this.#gauges.add(instance, sample.point);
    }
    await writePoints(db, at, points);
    await noteUse(db, uses);
    if (faults.length > 0) await inTransaction(db, (tx) => recordGpuFaults(tx, faults));
  }

  /** Undefined: it is no sample, or the same as the last one. */
  #sampleOf({ id, gpus }: ReadInstance, line: Uint8Array): Sample | undefined {
    const { engine, metrics } = this.#parts;
    const count = (result: string) => metrics.count("lessor_guest_samples_total", { engine: engine.name, result });
    const read = readLine(line, gpus);
    if (typeof read === "string") {
      count(read);
      return undefined;
    }
    if (read.number !== undefined && this.#last.get(id) === read.number) {
      count("repeated");
      return undefined;
    }
    this.#last.set(id, read.number);
    count("stored");
    return read;
  }
}
