// Syncs every host that an engine reports to the rental's hosts, GPUs and pools. A host that is no longer reported
// becomes unavailable but stays, because instances can be on it; only an operator removes it. Stores with them what
// their engine finds wrong with them.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import type { Engine } from "../engines/engine.ts";
import {
  type HostShortfall,
  lockHosts,
  recordOf,
  type StoredHost,
  storedHosts,
  upsertHosts,
} from "../rental/capacity/host-store.ts";
import { type HostFacts, type HostReading, withOverrides } from "../rental/capacity/overrides.ts";
import { recordHostHealth } from "../rental/hosts/health.ts";
import { allHosts, type HostScope, scopeTest } from "../rental/hosts/host-scope.ts";
import { engineCall } from "./engine-call.ts";
import type { LatestReadings } from "./latest-readings.ts";
import { type Log, reason } from "./log.ts";
import type { Settings } from "./settings.ts";
import { slicesOf } from "./slices.ts";

const BATCH = 200;

export interface HostSync {
  readonly db: Database;
  readonly engine: Engine;
  readonly settings: Settings;
  readonly log: Log;
  /** Of this engine's hosts. */
  readonly readings: LatestReadings;
}

/**
 * Reads the engine's hosts in this scope and stores those that changed. Returns the names of stored ones that it did not
 * report. Throws what engine or database throw.
 */
export async function syncHosts(
  { db, engine, settings, log, readings }: HostSync,
  signal: AbortSignal,
  scope: HostScope = allHosts,
): Promise<string[]> {
  const began = performance.now();
  const before = await storedHosts(db, engine.name, scope);
  const reports = await engineCall(settings.engineCallSeconds, signal, (late) => engine.hosts(late, scope.only));
  await readings.record(began, scope, async (current) => {
    const isMeant = scopeTest(current);
    const meant = reports.filter(({ name }) => isMeant(name));
    const changes = await changedHosts(
      before.filter(({ name }) => isMeant(name)),
      meant.map(({ health: _health, daemon: _daemon, ...report }) => ({ ...report, engine: engine.name })),
    );
    const known = new Set(before.map((host) => host.name));
    for (let from = 0; from < changes.length; from += BATCH) {
      await storeBatch(db, changes.slice(from, from + BATCH), known, log);
    }
    for (const { host, findings } of await recordHostHealth(db, engine.name, meant)) {
      log.warn(
        { engine: engine.name, host, findings },
        findings.length > 0 ? "host health changed" : "host is healthy again",
      );
    }
  });
  const reported = new Set(reports.map(({ name }) => name));
  return before.map(({ name }) => name).filter((name) => !reported.has(name));
}

/** Reported hosts that differ from the stored ones, and stored ones that are no longer reported, as unavailable. */
export async function changedHosts(
  stored: readonly StoredHost[],
  reported: readonly HostFacts[],
): Promise<HostFacts[]> {
  const known = new Map(stored.map((host) => [host.name, host]));
  const names = new Set(reported.map((host) => host.name));
  const silent = stored.filter((host) => !names.has(host.name)).map(asUnavailable);
  const gpusAsText = textsOfGpus();
  const changed: HostFacts[] = [];
  for await (const some of slicesOf([...reported, ...silent], 1000)) {
    changed.push(...some.filter((host) => !isStoredSo(host, known.get(host.name), gpusAsText)));
  }
  return changed;
}

/** The last report, but unavailable. */
function asUnavailable({ overrides: _, reported, ...facts }: StoredHost): HostFacts {
  return { ...facts, ...reported, available: false };
}

/** Both must equal what would be stored: the report, and what the host counts as. */
function isStoredSo(reported: HostFacts, stored: StoredHost | undefined, gpusAsText: GpusAsText): boolean {
  if (stored === undefined || stored.reported === null) return false;
  const counted = withOverrides(reported, stored.overrides);
  return isSame(stored.reported, reported, gpusAsText) && isSame(stored, counted, gpusAsText);
}

function isSame(one: HostReading, other: HostReading, gpusAsText: GpusAsText): boolean {
  return (
    one.region === other.region &&
    one.vcpus === other.vcpus &&
    one.memoryGib === other.memoryGib &&
    one.storageGb === other.storageGb &&
    one.available === other.available &&
    one.sharedStorage === other.sharedStorage &&
    one.multiAttach === other.multiAttach &&
    gpusAsText(one.gpus) === gpusAsText(other.gpus)
  );
}

type GpusAsText = (gpus: HostReading["gpus"]) => string;

/** Equal for equal GPUs, in any order of GPUs or fields; computed once for a list that many hosts share. */
function textsOfGpus(): GpusAsText {
  const texts = new Map<HostReading["gpus"], string>();
  return (gpus) => {
    const known = texts.get(gpus);
    if (known !== undefined) return known;
    const each = gpus.map((gpu) => [gpu.address, gpu.model, gpu.memoryGib, gpu.numaNode, gpu.healthy].join("\t"));
    const text = each.sort().join("\n");
    texts.set(gpus, text);
    return text;
  };
}

/**
 * One transaction, so that locks are held for about ten milliseconds; if it fails, one per host. A known host that an
 * operator has removed since must not come back by an older report, and overrides are read under the host's lock.
 */
async function storeBatch(
  db: Database,
  hosts: readonly HostFacts[],
  known: ReadonlySet<string>,
  log: Log,
): Promise<void> {
  try {
    const stored = await inTransaction(db, async (tx) => {
      const there = await lockHosts(
        tx,
        hosts.map((host) => host.name),
      );
      const current = hosts.filter((host) => there.has(host.name) || !known.has(host.name));
      await makeRegions(tx, [...new Set(current.map((host) => host.region))]);
      const shortfalls = await upsertHosts(
        tx,
        current.map((host) => recordOf(host, there.get(host.name) ?? null)),
      );
      return current.map((host) => ({ host, shortfall: shortfalls.get(host.name) }));
    });
    for (const { host, shortfall } of stored) tell(host, shortfall, log);
  } catch (error) {
    const [host, ...others] = hosts;
    if (host !== undefined && others.length === 0) {
      log.error({ engine: host.engine, host: host.name, error: reason(error) }, "cannot store a host");
    } else for (const one of hosts) await storeBatch(db, [one], known, log);
  }
}

/** A region that an engine reports and that does not exist yet is described by its name. */
async function makeRegions(tx: Transaction, names: readonly string[]): Promise<void> {
  await sql`
    insert into regions (name, description) select name, name from unnest(${[...names].sort()}::text[]) as name
    on conflict (name) do nothing`.execute(tx);
}

function tell(host: HostFacts, shortfall: HostShortfall | undefined, log: Log): void {
  const told = { engine: host.engine, host: host.name };
  log.info({ ...told, available: host.available, gpus: host.gpus.length }, "host stored");
  if (shortfall?.overcommitted) {
    log.warn(told, "host has less capacity than its instances use; it is not schedulable until they fit");
  }
  if (shortfall !== undefined && shortfall.lostGpus.length > 0) {
    log.warn({ ...told, gpus: shortfall.lostGpus }, "GPUs in use by instances are missing");
  }
}
