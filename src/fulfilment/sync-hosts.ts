// The inventory: brings every host that an engine reports into the rental's hosts, GPUs and pools. A host that is no
// longer reported takes nothing new but stays, for instances may be on it; removing it is the operator's word.

import { sql } from "kysely";
import { type Database, inTransaction, type Transaction } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { type HostFacts, storedHosts, upsertHost } from "../rental/capacity/host-store.ts";
import { engineCall } from "./engine-call.ts";
import { type Log, reason } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Reads the engine's hosts and stores those that changed. How many were. Throws what engine or database throw. */
export async function syncHosts(
  db: Database,
  engine: Engine,
  settings: Settings,
  log: Log,
  signal: AbortSignal,
): Promise<number> {
  const before = await storedHosts(db, engine.name);
  const reports = await engineCall(settings.engineCallSeconds, signal, (late) => engine.hosts(late));
  const changes = changedHosts(
    before,
    reports.map((report) => ({ ...report, engine: engine.name })),
  );
  // One transaction for each: a host's lock is held shortly, and one bad report does not keep the others out.
  for (const host of changes) await store(db, host, log);
  return changes.length;
}

/** The reported hosts that are not stored so, and the stored ones that are no longer reported, as unavailable. */
export function changedHosts(stored: readonly HostFacts[], reported: readonly HostFacts[]): HostFacts[] {
  const known = new Map(stored.map((host) => [host.name, fingerprint(host)]));
  const names = new Set(reported.map((host) => host.name));
  const silent = stored.filter((host) => !names.has(host.name)).map((host) => ({ ...host, available: false }));
  return [...reported, ...silent].filter((host) => known.get(host.name) !== fingerprint(host));
}

/** Equal for equal facts, whatever the order of GPUs or fields. */
function fingerprint(host: HostFacts): string {
  const gpus = host.gpus
    .map((gpu) => [gpu.address, gpu.model, gpu.memoryGib, gpu.numaNode, gpu.healthy].join("\t"))
    .sort();
  return [host.region, host.vcpus, host.memoryGib, host.storageGb, host.available, ...gpus].join("\n");
}

async function store(db: Database, host: HostFacts, log: Log): Promise<void> {
  const told = { engine: host.engine, host: host.name };
  try {
    const shortfall = await inTransaction(db, async (tx) => {
      await makeRegion(tx, host.region);
      return upsertHost(tx, host);
    });
    log.info({ ...told, available: host.available, gpus: host.gpus.length }, "host stored");
    if (shortfall.overcommitted)
      log.warn(told, "host has less than its instances hold: it takes nothing new until that fits");
    if (shortfall.lostGpus.length > 0)
      log.warn({ ...told, gpus: shortfall.lostGpus }, "GPUs are gone or broken that instances hold");
  } catch (error) {
    log.error({ ...told, error: reason(error) }, "cannot store a host");
  }
}

/** A region that an engine reports and no operator described is described by its name. */
async function makeRegion(tx: Transaction, name: string): Promise<void> {
  await sql`insert into regions (name, description) values (${name}, ${name}) on conflict (name) do nothing`.execute(
    tx,
  );
}
