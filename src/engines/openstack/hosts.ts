// Discovers hosts. Where the credentials may see them, each compute node of the region's zone or aggregate is a host, and
// Lessor chooses among them. Where they may not, each pool of the settings is one, and Nova chooses. Used by engine.ts,
// create.ts and the check.

import { Compile } from "typebox/compile";
import type { HostReport } from "../engine.ts";
import { AggregateSchema, type ComputeService, ComputeServiceSchema, LimitsAnswer, type Server } from "./api.ts";
import { Unsuitable } from "./client/api-error.ts";
import { type Cloud, poolNames, type Region, readRegions } from "./cloud.ts";
import { readNodes } from "./compute-nodes.ts";
import { countByClass } from "./flavors.ts";
import { gpusIn, keys } from "./labels.ts";
import { readChanged } from "./own-servers.ts";
import { type NodeProvider, readProviders, readTrees } from "./providers.ts";
import { hostOf } from "./report.ts";

const ServiceItem = Compile(ComputeServiceSchema);
const AggregateItem = Compile(AggregateSchema);

/** Counts as large enough: the disks of machines are not on the hosts. */
const SHARED_GB = 1_000_000;

/** Of one class below one provider: many more than a host has. What Placement is told is up to its clients. */
const MOST_GPUS = 1024;

/** Such regions must be engines of their own, with different `host_prefix`. */
export class SharedHostName extends Unsuitable {
  override name = "SharedHostName";
}

/** The host's region; undefined: the cloud has no such host. Throws as Client.call, also while a region is silent. */
export async function regionOfHost(cloud: Cloud, host: string, signal: AbortSignal): Promise<Region | undefined> {
  const known = cloud.regionOf.get(host);
  if (known !== undefined) return known;
  const { silent } = await readAllHosts(cloud, signal);
  const region = cloud.regionOf.get(host);
  const [first] = silent;
  if (region === undefined && first !== undefined) throw first.error;
  return region;
}

/** Without those of silent regions. Throws as Client.call, SharedHostName. */
export async function readHosts(cloud: Cloud, signal: AbortSignal): Promise<HostReport[]> {
  return (await readAllHosts(cloud, signal)).hosts;
}

async function readAllHosts(cloud: Cloud, signal: AbortSignal) {
  const read = async (region: Region, within: AbortSignal) => {
    const isVisible = region.settings.pools === undefined;
    const hosts = isVisible ? await readVisible(cloud, region, within) : await readPools(cloud, region, within);
    return { region, hosts };
  };
  const { answers, silent } = await readRegions(cloud, read, signal);
  const regionOf = new Map<string, Region>();
  for (const { region, hosts } of answers) {
    for (const { name } of hosts) {
      const other = regionOf.get(name)?.settings.region;
      // Machines are looked for in the region of their host: in the wrong one, they would count as gone.
      if (other !== undefined) {
        throw new SharedHostName(`The regions ${other} and ${region.settings.region} both have a host ${name}.`);
      }
      regionOf.set(name, region);
    }
  }
  for (const [name, region] of regionOf) cloud.regionOf.set(name, region);
  return { hosts: answers.flatMap(({ hosts }) => hosts), silent };
}

/** The compute services of the region's zone and aggregate. Throws as Client.call. */
export async function readServices({ client }: Cloud, region: Region, signal: AbortSignal): Promise<ComputeService[]> {
  const { compute } = region.place;
  const { availabilityZone, aggregate } = region.settings;
  const all = await client.readAll(compute, "/os-services", "services", ServiceItem, signal, {
    binary: "nova-compute",
  });
  const inZone = all.filter(({ zone }) => availabilityZone === undefined || zone === availabilityZone);
  if (aggregate === undefined) return inZone;
  const aggregates = await client.readAll(compute, "/os-aggregates", "aggregates", AggregateItem, signal);
  const members = new Set(aggregates.filter(({ name }) => name === aggregate).flatMap(({ hosts }) => hosts));
  return inZone.filter(({ host }) => members.has(host));
}

async function readVisible(cloud: Cloud, region: Region, signal: AbortSignal): Promise<HostReport[]> {
  const services = await readServices(cloud, region, signal);
  const providers = await readProviders(cloud, region, signal);
  const nodes = await readNodes(cloud, region, services, providers, signal);
  // Before and after what is used is read: what came or went meanwhile is not taken for another tenant's.
  const before = await readChanged(cloud, region, signal);
  const trees = await readTrees(cloud, region, providers, new Set(nodes.map(({ id }) => id)), signal);
  const own = new Map([...before, ...(await readChanged(cloud, region, signal))]);
  const byHost = Map.groupBy(own.values(), (server) => hostOf(cloud, region, server));
  const hasVolumes = await cloud.client.offers(region.place.volume, signal);
  const byName = new Map(services.map((one) => [one.host, one]));
  return nodes.flatMap((node) => {
    const [tree, service] = [trees.get(node.id), byName.get(node.service.host)];
    if (tree === undefined || service === undefined) return [];
    const name = `${cloud.settings.hostPrefix}${service.host}`;
    return [nodeReport(cloud, region, { name, service, tree, servers: byHost.get(name) ?? [], hasVolumes })];
  });
}

interface Node {
  readonly name: string;
  readonly service: ComputeService;
  readonly tree: readonly NodeProvider[];
  /** Ours on it. */
  readonly servers: readonly Server[];
  readonly hasVolumes: boolean;
}

/** What other tenants use is not there for Lessor. */
function nodeReport(
  { settings }: Cloud,
  region: Region,
  { name, service, tree, servers, hasVolumes }: Node,
): HostReport {
  const free = (gpuClass: string, ours: number) => {
    const amounts = tree.flatMap(({ amounts: all }) => (Object.hasOwn(all, gpuClass) ? (all[gpuClass] ?? []) : []));
    const capacity = amounts.reduce((sum, one) => sum + one.capacity, 0);
    const others = Math.max(amounts.reduce((sum, one) => sum + one.used, 0) - ours, 0);
    return amounts.length === 0 ? undefined : Math.max(capacity - others, 0);
  };
  const sum = (of: (server: Server) => number) => servers.reduce((all, server) => all + of(server), 0);
  const { reserved, cpuRatio } = settings;
  const vcpus =
    free(
      "VCPU",
      sum(({ flavor }) => flavor.vcpus),
    ) ?? 0;
  const memoryMib =
    free(
      "MEMORY_MB",
      sum(({ flavor }) => flavor.ram),
    ) ?? 0;
  const storageGb =
    free(
      "DISK_GB",
      sum(({ flavor }) => flavor.disk),
    ) ?? SHARED_GB;
  return {
    name,
    region: region.settings.region,
    vcpus: whole(vcpus * cpuRatio - reserved.vcpus),
    memoryGib: whole(memoryMib / 1024 - reserved.memoryGib),
    storageGb: whole(storageGb - reserved.storageGb),
    available: service.state === "up" && service.status === "enabled",
    sharedStorage: hasVolumes,
    multiAttach: false,
    gpus: gpusOf(settings, tree, new Set(servers.flatMap(gpusOfServer))),
  };
}

function gpusOfServer({ metadata }: Server): string[] {
  return gpusIn(metadata[keys.gpus] ?? "");
}

/**
 * A GPU for each unit of its class: Placement counts units, and the address only says which of them Lessor counts it as.
 * Of those that no machine of ours has, as many are left out as other tenants use.
 */
function gpusOf(
  settings: Cloud["settings"],
  tree: readonly NodeProvider[],
  ours: ReadonlySet<string>,
): HostReport["gpus"] {
  const inUse = countByClass([...ours]);
  return Object.entries(settings.gpus).flatMap(([gpuClass, { model, memoryGib }]) => {
    const providers = tree.filter(({ amounts }) => Object.hasOwn(amounts, gpuClass));
    const addresses = providers.flatMap(({ name, amounts }, at) =>
      unitsOf(gpuClass, at, name, Math.min(amounts[gpuClass]?.capacity ?? 0, MOST_GPUS)),
    );
    const used = providers.reduce((all, { amounts }) => all + (amounts[gpuClass]?.used ?? 0), 0);
    const others = Math.max(used - (inUse.get(gpuClass) ?? 0), 0);
    const idle = addresses.filter((address) => !ours.has(address));
    const taken = new Set(others === 0 ? [] : idle.slice(-others));
    return addresses
      .filter((address) => !taken.has(address))
      .map((address) => ({ address, model, memoryGib, numaNode: 0, healthy: true }));
  });
}

/** A card below a node has its PCI address in the provider's name: `node_0000:10:00.0`. */
function unitsOf(gpuClass: string, at: number, provider: string, capacity: number): string[] {
  const pci = /_([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/i.exec(provider)?.[1];
  if (pci !== undefined && capacity === 1) return [`${gpuClass}/${pci}`];
  return Array.from({ length: capacity }, (_, index) => `${gpuClass}/${at === 0 ? "" : `${at}.`}${index}`);
}

/** The sizes of the settings, and no more than the project's quota allows. */
async function readPools(cloud: Cloud, region: Region, signal: AbortSignal): Promise<HostReport[]> {
  const { client, settings } = cloud;
  const { absolute } = (await client.read(region.place.compute, "/limits", LimitsAnswer, signal)).limits;
  const within = (amount: number, quota: number) => whole(quota < 0 ? amount : Math.min(amount, quota));
  const hasVolumes = await client.offers(region.place.volume, signal);
  const names = poolNames(settings, region.settings);
  return (region.settings.pools ?? []).map(({ gpu, count, vcpus, memoryGib, storageGb }, index) => {
    const name = names[index];
    if (name === undefined) throw new Error("BUG: a pool without a name");
    const model = gpu === undefined ? undefined : settings.gpus[gpu];
    return {
      name,
      region: region.settings.region,
      vcpus: within(vcpus, absolute.maxTotalCores),
      memoryGib: within(memoryGib, absolute.maxTotalRAMSize / 1024),
      storageGb,
      available: true,
      sharedStorage: hasVolumes,
      multiAttach: false,
      gpus:
        gpu === undefined || model === undefined
          ? []
          : unitsOf(gpu, 0, "", count).map((address) => ({
              address,
              model: model.model,
              memoryGib: model.memoryGib,
              numaNode: 0,
              healthy: true,
            })),
    };
  });
}

function whole(amount: number): number {
  return Math.max(Math.floor(amount), 0);
}
