// Makes the NVSwitch partitions of hosts what instances and validations need, at the helpers of the hosts: reads them,
// activates one before a start, and deactivates it when what had it is gone. Any number of replicas can run this; one works
// on a host at a time. Each call has a deadline and no transaction open.
//
// Invariant: level-triggered. What is wanted is in the database, what is active is read from the fabric manager after each
// restart of the host or the service, after each contradiction, and periodically; so a partition that is active and belongs
// to none is deactivated, and one that should be active is activated again. A partition that cannot be deactivated
// quarantines its GPUs after several tries.

import { inTransaction } from "../database/transaction.ts";
import { type GpuHelper, HelperError } from "../gpus/helper.ts";
import { partitionsIn } from "../gpus/partitions.ts";
import {
  nextCall,
  type PartitionCall,
  type ReadingCall,
  recordDone,
  recordInVain,
} from "../rental/gpus/partitions/calls.ts";
import { claimFabrics, type Fabric, hostsToRead, leaveFabric, readAgain } from "../rental/gpus/partitions/fabrics.ts";
import { recordReading } from "../rental/gpus/partitions/reading.ts";
import { BackgroundWork } from "./background-work.ts";
import { engineCall } from "./engine-call.ts";
import type { GpuHelperDependencies } from "./gpu-helper-dependencies.ts";
import { wake } from "./lease-store.ts";
import { reason } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Hosts at once. */
const MOST = 32;

type Call = PartitionCall | ReadingCall;

/** Those of one engine. Each host is worked on by itself, so that one whose helper hangs delays no other. */
export class GpuPartitions {
  readonly #parts: GpuHelperDependencies;
  readonly #running = new BackgroundWork();
  #isFirst = true;

  constructor(parts: GpuHelperDependencies) {
    this.#parts = parts;
  }

  /** Begins all that is due; the first time, to read all hosts that have a helper. `signal` aborts what it began. Throws what the database throws. */
  async begin(signal: AbortSignal): Promise<void> {
    const { db, engine, helperOf, settings, log, gate } = this.#parts;
    if (this.#isFirst) {
      const hosts = await hostsToRead(db, engine.name);
      const helped = hosts.filter((host) => engine.gpuHelper !== undefined || helperOf(host) !== undefined);
      if (helped.length > 0) await readAgain(db, helped);
      this.#isFirst = false;
    }
    const room = MOST - this.#running.size;
    if (room === 0) return;
    const due = await gate("partitionsClaimed", () => claimFabrics(db, engine.name, room, leaseOf(settings)));
    for (const fabric of due) {
      this.#running.begin(workOn(this.#parts, fabric, signal), (error) =>
        log.warn({ host: fabric.host, error: reason(error) }, "cannot work on the partitions of a host"),
      );
    }
  }

  /** Resolves when nothing that was begun runs. Never throws. */
  ended(): Promise<void> {
    return this.#running.ended();
  }
}

/** More than the longest call takes. */
function leaseOf({ resetSeconds, leaseSeconds }: Settings): number {
  return resetSeconds + leaseSeconds;
}

async function workOn(parts: GpuHelperDependencies, fabric: Fabric, signal: AbortSignal): Promise<void> {
  const { db, engine, helperOf, settings, gate } = parts;
  const helper = engine.gpuHelper ?? helperOf(fabric.host);
  for (;;) {
    const next = await gate("partitionNext", () =>
      inTransaction(db, (tx) => nextCall(tx, fabric, leaseOf(settings), settings.partitionReadSeconds)),
    );
    if (next.as === "rest" || next.as === "lost") return;
    try {
      if (helper === undefined) throw new HelperError("no-fabric", noHelper);
      if (next.as === "read") await read(parts, fabric, next, helper, signal);
      else await change(parts, fabric, next, helper, signal);
    } catch (error) {
      if (signal.aborted) return leaveFabric(db, fabric);
      if (!(await inVain(parts, fabric, next, error, helper !== undefined))) return;
    }
  }
}

const noHelper = "Its host has no GPU helper. Name one in `gpus.helpers` of the settings.";

async function read(
  { db, engine, settings, log, gate }: GpuHelperDependencies,
  fabric: Fabric,
  { request }: ReadingCall,
  helper: GpuHelper,
  signal: AbortSignal,
): Promise<void> {
  const { host } = fabric;
  const list = await gate("partitionsRead", () =>
    engineCall(settings.resetSeconds, signal, (late) => helper.list(host, late)),
  );
  const { usable, leftOut } = partitionsIn(list);
  const told = { engine: engine.name, host, fabricManager: list.fabricManager };
  if (leftOut.length > 0) log.warn({ ...told, leftOut }, "partitions left out: their GPUs are not known, or shared");
  const recorded = await gate("partitionsRecorded", () =>
    inTransaction(db, (tx) =>
      recordReading(tx, fabric, { request, version: list.fabricManager, partitions: usable }, leaseOf(settings)),
    ),
  );
  if (recorded === "lost") return log.info(told, "another replica reads the partitions of a host");
  if (typeof recorded === "object") throw new HelperError("bad-response", recorded.contradiction);
}

async function change(
  { db, engine, settings, log, gate }: GpuHelperDependencies,
  fabric: Fabric,
  call: PartitionCall,
  helper: GpuHelper,
  signal: AbortSignal,
): Promise<void> {
  const { host } = fabric;
  const { as, partition, holder } = call;
  await gate(as === "activate" ? "partitionActivate" : "partitionDeactivate", () =>
    engineCall(settings.resetSeconds, signal, (late) => helper[as](host, partition, late)),
  );
  const recorded = await gate("partitionDone", () =>
    inTransaction(db, (tx) => recordDone(tx, fabric, call, leaseOf(settings))),
  );
  const told = { engine: engine.name, host, partition, holder };
  if (!recorded) return log.info(told, "another replica works on the partitions of a host");
  log.info(told, as === "activate" ? "partition activated" : "partition deactivated");
  // A machine that has waited for it; without this it is looked at when it is due.
  if (holder !== null) await wake(db, [holder]);
}

/** Records it. False: the host is left until it is due again. */
async function inVain(
  { db, engine, settings, log }: GpuHelperDependencies,
  fabric: Fabric,
  call: Call,
  error: unknown,
  hasHelper: boolean,
): Promise<boolean> {
  const [least, most] = settings.resetRetrySeconds;
  const attempts = call.failures + 1;
  const failure = {
    seconds: Math.min(most, least * 2 ** Math.min(call.failures, 30)),
    hasHelper,
    // It contradicts what is known, or has changed another one.
    isReadBefore: error instanceof HelperError && (error.kind === "refused" || error.code === "fabric-failed"),
    evidence: attempts >= settings.resetAttempts ? reason(error) : undefined,
  };
  const quarantined = await inTransaction(db, (tx) => recordInVain(tx, fabric, call, failure, leaseOf(settings)));
  const partition = call.as === "read" ? undefined : call.partition;
  const told = { engine: engine.name, host: fabric.host, partition, attempts, error: reason(error) };
  if (quarantined > 0) log.warn({ ...told, quarantined }, "GPUs quarantined whose partition might be active");
  else if (hasHelper) log.warn(told, `cannot ${call.as} partitions of a host; will retry`);
  return call.as !== "read";
}
