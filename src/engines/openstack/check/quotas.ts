// Whether the project's quotas allow what the region offers. -1 is no limit.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { readHosts } from "../hosts.ts";
import { keepsRules } from "../security-groups.ts";
import { ComputeLimitsAnswer, NetworkQuotaAnswer, VolumeLimitsAnswer } from "./answers.ts";
import { called, ifAllowed, type Subject } from "./subject.ts";

/** A network of IPv4 and one of IPv6 leave about 16 and 74 around them. */
const OPEN_RULES = 100;

interface Quota {
  readonly what: string;
  /** The option of `openstack quota set`. */
  readonly option: string;
  readonly limit: number;
  readonly used: number;
  /** What the region can have rented out; at least 1. */
  readonly wanted: number;
}

export async function* checkQuotas(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = called(subject, "quotas");
  const quotas = await readQuotas(subject, signal);
  let fit = true;
  for (const { what: name, option, limit, used, wanted } of quotas) {
    if (limit < 0) continue;
    const advice = `openstack quota set --${option} -1 ${subject.project.id}`;
    if (used >= limit) {
      fit = false;
      yield problem(what, `${used} of ${limit} ${name} are in use`, advice);
    } else if (limit < wanted) {
      fit = false;
      yield warning(what, `${limit} ${name} are fewer than the ${wanted} that the region can need`, advice);
    }
  }
  if (fit) yield ok(what, `enough ${listed(quotas.map((one) => one.what))}`);
}

async function readQuotas({ cloud, region, project }: Subject, signal: AbortSignal): Promise<Quota[]> {
  const { client, settings } = cloud;
  const { compute, network, volume } = region.place;
  const { absolute } = (await client.read(compute, "/limits", ComputeLimitsAnswer, signal)).limits;
  const size = region.settings.pools ?? (await visibleSizes());
  const sum = (of: (one: (typeof size)[number]) => number) => size.reduce((all, one) => all + of(one), 0);
  const machines = Math.max(
    sum(({ count }) => count),
    1,
  );
  const quotas: Quota[] = [
    {
      what: "instances",
      option: "instances",
      limit: absolute.maxTotalInstances,
      used: absolute.totalInstancesUsed,
      wanted: machines,
    },
    {
      what: "cores",
      option: "cores",
      limit: absolute.maxTotalCores,
      used: absolute.totalCoresUsed,
      wanted: sum(({ vcpus }) => vcpus),
    },
    {
      what: "MiB of memory",
      option: "ram",
      limit: absolute.maxTotalRAMSize,
      used: absolute.totalRAMUsed,
      wanted: sum(({ memoryGib }) => memoryGib) * 1024,
    },
  ];
  // Machines with equal rules share a group; in the worst case each has rules of its own. That of machines without rules
  // has one for each part of what is outside of their network.
  const [groups, openRules] = keepsRules(settings) ? [machines, OPEN_RULES] : [1, 0];
  const neutron = await ifAllowed(
    client.read(network, `/quotas/${project.id}/details.json`, NetworkQuotaAnswer, signal),
  );
  const ofNeutron: readonly (readonly [key: string, what: string, option: string, wanted: number])[] = [
    ["port", "ports", "ports", machines],
    ["security_group", "security groups", "secgroups", groups],
    ["security_group_rule", "security group rules", "secgroup-rules", groups * 2 + openRules],
    ...(region.settings.floatingNetwork === undefined
      ? []
      : [["floatingip", "floating addresses", "floating-ips", machines] as const]),
  ];
  for (const [key, what, option, wanted] of ofNeutron) {
    const found = neutron?.quota[key];
    if (found !== undefined) quotas.push({ what, option, ...found, wanted });
  }
  if (await client.offers(volume, signal)) {
    const limits = (await ifAllowed(client.read(volume, "/limits", VolumeLimitsAnswer, signal)))?.limits.absolute;
    if (limits !== undefined) {
      const { maxTotalVolumes, totalVolumesUsed, maxTotalVolumeGigabytes, totalGigabytesUsed } = limits;
      quotas.push(
        { what: "volumes", option: "volumes", limit: maxTotalVolumes, used: totalVolumesUsed, wanted: 1 },
        {
          what: "GB of volumes",
          option: "gigabytes",
          limit: maxTotalVolumeGigabytes,
          used: totalGigabytesUsed,
          wanted: 1,
        },
      );
    }
  }
  return quotas;

  async function visibleSizes() {
    const hosts = await readHosts({ ...cloud, regions: [region] }, signal);
    return hosts.map(({ gpus, vcpus, memoryGib }) => ({ count: gpus.length, vcpus, memoryGib }));
  }
}
