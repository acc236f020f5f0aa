// The cloud as the other files of this engine use it: client, settings, the tag of ownership, and the regions.

import { EngineError, type MachineRef } from "../engine.ts";
import { ApiError, NoAnswer } from "./client/api-error.ts";
import type { Place, ServiceType } from "./client/catalog.ts";
import { Client } from "./client/client.ts";
import type { KnownNodes } from "./compute-nodes.ts";
import { ownerTag } from "./labels.ts";
import type { KnownServers } from "./own-servers.ts";
import type { CloudRegion, OpenStackSettings } from "./settings/settings.ts";

export interface Cloud {
  readonly client: Client;
  readonly settings: OpenStackSettings;
  /** On everything that this engine of this installation made. */
  readonly owner: string;
  readonly regions: readonly Region[];
  /** The region of each host, as far as they were read (hosts.ts). Pools are known from the start. */
  readonly regionOf: Map<string, Region>;
  /** Ids of networks and security groups, and a network's subnets, that were looked up, by region, kind and name: `lookUp`. */
  readonly ids: Map<string, string>;
  /** compute-nodes.ts. */
  readonly nodes: Map<Region, KnownNodes>;
  /** own-servers.ts. */
  readonly servers: Map<Region, KnownServers>;
}

export interface Region {
  readonly settings: CloudRegion;
  readonly place: Readonly<Record<ServiceType, Place>>;
}

const services = ["compute", "network", "image", "placement", "volume"] as const satisfies readonly ServiceType[];

/** `installation`: of the service. Throws what reading the certificate files throws. Does not connect yet. */
export function openCloud(settings: OpenStackSettings, installation: string): Cloud {
  const regions = settings.regions.map((one) => {
    const places = services.map((service) => [service, { service, region: one.cloudRegion }] as const);
    // Object.fromEntries does not keep the keys' type.
    return { settings: one, place: Object.fromEntries(places) as Region["place"] };
  });
  return {
    client: new Client(settings.access),
    settings,
    owner: ownerTag(installation, settings.name),
    regions,
    regionOf: new Map(regions.flatMap((region) => poolNames(settings, region.settings).map((name) => [name, region]))),
    ids: new Map(),
    nodes: new Map(),
    servers: new Map(),
  };
}

/** The id of what has this name, read once. To be used within `withKnownIds`. */
export async function lookUp(
  { ids }: Cloud,
  { settings }: Region,
  what: string,
  read: () => Promise<string>,
): Promise<string> {
  const key = `${settings.region} ${what}`;
  const known = ids.get(key);
  if (known !== undefined) return known;
  const id = await read();
  ids.set(key, id);
  return id;
}

/**
 * Runs a call that can be repeated, and once more with all ids read anew if the cloud does not know one: networks and
 * security groups are removed and made again by others.
 */
export async function withKnownIds<T>({ ids }: Cloud, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 400)) || ids.size === 0) throw error;
    ids.clear();
    return await call();
  }
}

/** How long a region is read at most: one that hangs is not to take the time of the whole call. */
const REGION_MS = 45_000;

/** A region that did not respond, and with what error. */
export interface SilentRegion {
  readonly region: Region;
  readonly error: unknown;
}

/**
 * Reads all regions at once, each within its own time. One that does not respond is silent, and hinders no other; if none
 * responds, or one answers with another error, it throws that. `limitMs`: for tests.
 */
export async function readRegions<T>(
  { regions }: Cloud,
  read: (region: Region, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number = REGION_MS,
): Promise<{ readonly answers: readonly T[]; readonly silent: readonly SilentRegion[] }> {
  const ended = await Promise.allSettled(regions.map((region) => readWithin(region, read, signal, limitMs)));
  signal.throwIfAborted();
  const answers = ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const silent = regions.flatMap((region, index) => {
    const one = ended[index];
    return one?.status === "rejected" ? [{ region, error: one.reason as unknown }] : [];
  });
  const thrown = silent.find(({ error }) => !isSilence(error)) ?? (answers.length === 0 ? silent[0] : undefined);
  if (thrown !== undefined) throw thrown.error;
  return { answers, silent };
}

function isSilence(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof ApiError && error.status >= 500);
}

async function readWithin<T>(
  region: Region,
  read: (region: Region, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number,
): Promise<T> {
  // Not AbortSignal.any: signals of callers live long, and would keep each of these.
  const either = new AbortController();
  const abort = () => either.abort(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const name = region.settings.region;
  const late = new NoAnswer(`Region ${name} does not respond within ${limitMs / 1000} seconds.`);
  const timer = setTimeout(() => either.abort(late), limitMs);
  try {
    return await read(region, either.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** The hosts' names of a region's pools, in their order; none where hosts are visible. */
export function poolNames({ hostPrefix }: Pick<OpenStackSettings, "hostPrefix">, region: CloudRegion): string[] {
  return (region.pools ?? []).map(({ gpu = "cpu" }) => {
    const what = gpu
      .toLowerCase()
      .replace(/^custom_/, "")
      .replaceAll("_", "-");
    return `${hostPrefix}${region.region}-${what}`;
  });
}

/** Its hosts, as far as they were read. */
export function hostsIn({ regionOf }: Cloud, region: Region): string[] {
  return [...regionOf].filter(([, one]) => one === region).map(([host]) => host);
}

/** Where the machine can be: all regions if its host is not known (yet). */
export function regionsOf({ regions, regionOf }: Cloud, { host }: Pick<MachineRef, "host">): readonly Region[] {
  const known = regionOf.get(host);
  return known === undefined ? regions : [known];
}

export function noSuchHost(): EngineError {
  return new EngineError("refused", "no-such-host", "The host does not exist.");
}
