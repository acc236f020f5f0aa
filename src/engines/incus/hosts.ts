// Discovers hosts: every member of the cluster with its CPU, memory, storage and GPUs. Used by engine.ts and the check.

import type { HostReport } from "../engine.ts";
import { modelOf, pciId } from "../hardware/gpu-models.ts";
import {
  type ClusterWarning,
  type Member,
  PoolAnswer,
  type PoolSpace,
  PoolSpaceAnswer,
  ResourcesAnswer,
} from "./api.ts";
import { type Cluster, hostName, poolPath, readNetwork, targetOf } from "./cluster.ts";
import { readHealth, readWarnings } from "./health.ts";
import { isEvacuated, isOnline, readMembers, regionOf, withinMemberTime } from "./members.ts";

const GIB = 1024 ** 3;
const GB = 1000 ** 3;

/** Storage that every member can access; with other drivers a volume stays on the member where it was created. */
const sharedDrivers = new Set(["ceph", "cephfs", "lvmcluster", "linstor", "powerflex", "pure", "truenas", "alletra"]);

/** A file system on these is mounted by one member at a time and shared by its machines. The other drivers share everywhere. */
const oneMemberDrivers = new Set(["ceph", "lvmcluster", "linstor", "powerflex", "pure", "truenas", "alletra"]);

/** Whether every member can access the storage of the settings. Throws as Client.call. */
export async function sharesStorage(cluster: Cluster, signal: AbortSignal): Promise<boolean> {
  const { driver } = await cluster.client.read(poolPath(cluster), PoolAnswer, signal);
  return sharedDrivers.has(driver);
}

/** The last report of each member, by host name: a member that is down keeps its size and is unavailable. */
export type KnownHosts = Map<string, HostReport>;

/** Throws as Client.call. A member that does not respond is reported as unavailable, or left out if it was never seen. */
export async function readHosts(cluster: Cluster, known: KnownHosts, signal: AbortSignal): Promise<HostReport[]> {
  const members = await readMembers(cluster, signal);
  await readNetwork(cluster, signal);
  const { driver } = await cluster.client.read(poolPath(cluster), PoolAnswer, signal);
  const warnings = await readWarnings(cluster, signal);
  const reports: HostReport[] = [];
  // Sequentially: a member needs about 50 ms to list its hardware, and nothing waits for this.
  for (const member of members) {
    const region = regionOf(cluster, member);
    if (region === undefined) continue;
    const host = hostName(cluster, member.server_name);
    const storage = { sharedStorage: sharedDrivers.has(driver), multiAttach: !oneMemberDrivers.has(driver) };
    const read = await readHost(cluster, member, region, storage, withinMemberTime(signal)).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });
    const last = known.get(host);
    if (read !== undefined) {
      known.set(host, read.report);
      reports.push({ ...read.report, ...(await healthOf(cluster, member, read, warnings, signal)) });
    } else if (last !== undefined) reports.push({ ...last, available: false });
  }
  return reports;
}

/** Nothing of a member that has just stopped responding: what was found before stands. */
function healthOf(
  cluster: Cluster,
  { server_name: member }: Member,
  { space }: ReadHost,
  warnings: readonly ClusterWarning[],
  signal: AbortSignal,
): Promise<Pick<HostReport, "health" | "daemon">> {
  return readHealth(cluster, { member, space, warnings }, withinMemberTime(signal)).catch(() => {
    signal.throwIfAborted();
    return {};
  });
}

interface ReadHost {
  readonly report: HostReport;
  /** Of its pool, in bytes. */
  readonly space: PoolSpace;
}

/** Undefined for a member that is not online, unless it was evacuated: then it is unavailable. */
async function readHost(
  cluster: Cluster,
  member: Member,
  region: string,
  storage: Pick<HostReport, "sharedStorage" | "multiAttach">,
  signal: AbortSignal,
): Promise<ReadHost | undefined> {
  if (!isOnline(member) && !isEvacuated(member)) return undefined;
  const { client, settings } = cluster;
  const target = await targetOf(cluster, member.server_name, signal);
  const resources = await client.read("/1.0/resources", ResourcesAnswer, signal, target);
  const { space } = await client.read(`${poolPath(cluster)}/resources`, PoolSpaceAnswer, signal, target);
  const { reserved, cpuRatio } = settings;
  const report = {
    name: hostName(cluster, member.server_name),
    region,
    vcpus: atLeastNone(resources.cpu.total * cpuRatio - reserved.vcpus),
    memoryGib: atLeastNone(resources.memory.total / GIB - reserved.memoryGib),
    storageGb: atLeastNone(space.total / GB - reserved.storageGb),
    available: isOnline(member),
    ...storage,
    gpus: (resources.gpu.cards ?? []).flatMap((card) => {
      const model = modelOf(pciId(card.vendor_id, card.product_id), settings.gpuModels);
      if (model === undefined || !card.pci_address) return [];
      return [{ ...model, address: card.pci_address, numaNode: Math.max(card.numa_node ?? 0, 0), healthy: true }];
    }),
  };
  return { report, space };
}

function atLeastNone(amount: number): number {
  return Math.max(Math.floor(amount), 0);
}
