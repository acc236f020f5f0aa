// What hosts or pools offer, hosts that are down or disabled, and GPUs that the settings do not know.

import { type Finding, listed, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { describeHost } from "../../check/hosts.ts";
import type { HostReport } from "../../engine.ts";
import { CandidatesAnswer, type Hypervisor } from "../api.ts";
import { ApiError } from "../client/api-error.ts";
import type { Cloud } from "../cloud.ts";
import { readNodes } from "../compute-nodes.ts";
import { readHosts, readServices, SharedHostName } from "../hosts.ts";
import { type NodeProvider, readProviders, readTrees } from "../providers.ts";
import type { CloudGpu } from "../settings/settings.ts";
import { called, type Subject } from "./subject.ts";

/** Of more hosts only those with something to say are listed. */
const MOST_LISTED = 50;

const visibility = "give the credentials a role that may list hosts (admin), or set pools for the region";

export async function* checkHardware(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cloud, region } = subject;
  const isVisible = region.settings.pools === undefined;
  try {
    const reports = await readHosts({ ...cloud, regions: [region] }, signal);
    const findings = reports.map((report) => capacityOf(report, isVisible));
    if (findings.length > MOST_LISTED) {
      yield ok(
        called(subject, "hosts"),
        `${reports.length} hosts with ${reports.flatMap(({ gpus }) => gpus).length} GPUs`,
      );
      yield* findings.filter(({ verdict }) => verdict !== "ok");
    } else yield* findings;
    if (!isVisible) return;
    if (reports.length === 0) {
      const zones = await zonesOf(subject, signal);
      yield problem(
        called(subject, "hosts"),
        `no compute host is in the availability zone and aggregate; availability zones with hosts: ${listed(zones) || "none"}`,
        "correct availability_zone or aggregate of the region",
      );
      // Of no hosts there is nothing to say.
      return;
    }
    yield* checkServices(subject, signal);
    yield* checkClasses(subject, signal);
  } catch (error) {
    if (!(isVisible && error instanceof ApiError && error.status === 403)) throw error;
    yield problem(called(subject, "hosts"), `the cloud does not show hosts: ${wordsOf(error)}`, visibility);
  }
}

async function zonesOf({ cloud, region }: Subject, signal: AbortSignal): Promise<readonly string[]> {
  const everywhere = { ...region, settings: { ...region.settings, availabilityZone: undefined, aggregate: undefined } };
  return [...new Set((await readServices(cloud, everywhere, signal)).map(({ zone }) => zone))].sort();
}

/** Other tenants may have all of a host, so one without capacity is no problem among hosts that are visible. */
function capacityOf(report: HostReport, isVisible: boolean): Finding {
  if (!isVisible) return describeHost(report, "raise the project's quota, or correct pools");
  const advice = "lower reserved, or leave it to other tenants";
  const finding = describeHost(report, advice);
  return finding.verdict === "problem" ? warning(finding.what, finding.detail, advice) : finding;
}

async function* checkServices({ cloud, region }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  for (const { host, state, status } of await readServices(cloud, region, signal)) {
    const name = `${cloud.settings.hostPrefix}${host}`;
    if (state !== "up") {
      yield warning(
        name,
        "nova-compute is down: its instances are unreachable",
        "start nova-compute on it, or replace it",
      );
    } else if (status !== "enabled") {
      yield warning(name, "nova-compute is disabled: it gets no instances", "openstack compute service set --enable");
    }
  }
}

async function* checkClasses(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cloud, region } = subject;
  const services = await readServices(cloud, region, signal);
  const providers = await readProviders(cloud, region, signal);
  const found = await readNodes(cloud, region, services, providers, signal);
  const nodes = new Map(found.map((node) => [node.id, node]));
  const trees = await readTrees(cloud, region, providers, new Set(nodes.keys()), signal);
  const byClass = hostsByClass(nodes, trees);
  for (const [gpuClass, gpu] of Object.entries(cloud.settings.gpus)) {
    const on = byClass.get(gpuClass) ?? [];
    if (on.length === 0) {
      yield warning(
        called(subject, gpuClass),
        "no host has this resource class",
        "add it to the hosts' inventory in Placement (provider.yaml, or [pci] report_in_placement), or remove it from gpus",
      );
      continue;
    }
    if (gpuClass.startsWith("CUSTOM_PCI_") && gpu.alias === undefined) {
      yield problem(
        called(subject, gpuClass),
        "is a class of PCI devices, which Nova gives only by an alias",
        "set alias to the name of the [pci] alias in nova.conf",
      );
    }
    yield* checkTrait(subject, gpuClass, gpu, nodes, signal);
  }
  for (const [gpuClass, names] of byClass) {
    if (Object.hasOwn(cloud.settings.gpus, gpuClass)) continue;
    yield warning(
      called(subject, gpuClass),
      `is a resource class of ${some(names)} and not offered`,
      `to offer it as a GPU, add it to gpus: ${gpuClass}: { model: …, memory_gib: … }`,
    );
  }
}

/** Whether the hosts of all regions have names of their own; nothing is said if they do. */
export async function* checkHostNames(cloud: Cloud, signal: AbortSignal): AsyncGenerator<Finding> {
  if (cloud.regions.length === 1) return;
  try {
    await readHosts(cloud, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Other errors are those of a region's own steps.
    if (!(error instanceof SharedHostName)) return;
    yield problem("hosts", wordsOf(error), "make each region an engine of its own, with different host_prefix");
  }
}

/** The hosts of each class that can be GPUs. */
function hostsByClass(
  nodes: ReadonlyMap<string, Hypervisor>,
  trees: ReadonlyMap<string, readonly NodeProvider[]>,
): ReadonlyMap<string, string[]> {
  const byClass = new Map<string, string[]>();
  for (const [id, tree] of trees) {
    const classes = new Set(tree.flatMap(({ amounts }) => Object.keys(amounts)));
    for (const one of classes) {
      if (!/^CUSTOM_|^VGPU$|^PGPU$/.test(one)) continue;
      byClass.set(one, [...(byClass.get(one) ?? []), nodes.get(id)?.service.host ?? id]);
    }
  }
  return byClass;
}

/** Of hosts that have one free: those are what Placement describes in one answer. */
async function* checkTrait(
  subject: Subject,
  gpuClass: string,
  { trait }: CloudGpu,
  nodes: ReadonlyMap<string, Hypervisor>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (trait === undefined) return;
  const { cloud, region } = subject;
  const query = { resources: `${gpuClass}:1`, limit: "100000" };
  const { provider_summaries: summaries } = await cloud.client.read(
    region.place.placement,
    "/allocation_candidates",
    CandidatesAnswer,
    signal,
    query,
  );
  const roots = new Map<string, boolean>();
  for (const [id, { root_provider_uuid, traits }] of Object.entries(summaries)) {
    const root = root_provider_uuid ?? id;
    roots.set(root, roots.get(root) === true || traits.includes(trait));
  }
  const lacking = [...roots].flatMap(([root, has]) => (has ? [] : (nodes.get(root)?.service.host ?? [])));
  if (lacking.length === 0) return;
  yield warning(
    called(subject, gpuClass),
    `${some(lacking)} lack the trait ${trait}, so none of their GPUs can be launched`,
    `openstack resource provider trait set --trait ${trait} <provider>, or correct trait`,
  );
}

const some = (names: readonly string[]) =>
  listed(names.length > 10 ? [...names.slice(0, 10), `${names.length - 10} others`] : names);
