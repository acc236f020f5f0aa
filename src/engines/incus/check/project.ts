// Whether the project exists and allows what the engine does: a restricted project forbids much by default. Source: the
// project configuration of Incus and LXD (keys restricted.* and limits.*, with their defaults).

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { ProjectAnswer } from "./answers.ts";
import { lookUp, type Subject } from "./subject.ts";

type Config = Readonly<Record<string, string>>;

export async function* checkProject({ cluster, server, tool }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { settings } = cluster;
  const { project } = settings;
  const path = `/1.0/projects/${encodeURIComponent(project)}`;
  const found = await lookUp(cluster, path, signal);
  if (!ProjectAnswer.Check(found)) {
    const shared = "-c features.images=false -c features.profiles=false";
    return yield problem(`project ${project}`, "does not exist", `${tool} project create ${project} ${shared}`);
  }
  const { config } = found;
  const refusals = [
    ...(isOn(config.restricted) ? restrictions(config, settings, server.environment.server_clustered) : []),
    ...nothingAllowed(config, settings),
  ];
  for (const { detail, set } of refusals) {
    yield problem(`project ${project}`, detail, `${tool} project set ${project} ${set}`);
  }
  const limits = Object.keys(config).filter((key) => key.startsWith("limits.") && config[key] !== "");
  if (limits.length > 0 && refusals.length === 0) {
    yield warning(
      `project ${project}`,
      `has limits (${listed(limits)}) that Lessor does not know: launches beyond them fail`,
      `remove them (${tool} project unset ${project} <key>), or set reserved accordingly`,
    );
  }
  if (refusals.length === 0) yield ok(`project ${project}`, `exists, with ${owned(config)}`);
}

function owned(config: Config): string {
  const own = ["images", "profiles", "storage.volumes", "networks"].filter((one) => isOn(config[`features.${one}`]));
  const names = own.map((one) => one.replace("storage.volumes", "volumes"));
  return names.length === 0 ? "everything shared with the default project" : `its own ${listed(names)}`;
}

interface Refusal {
  readonly detail: string;
  /** The setting that allows it: `key=value`. */
  readonly set: string;
}

function restrictions(config: Config, settings: IncusSettings, clustered: boolean): Refusal[] {
  const found: Refusal[] = [];
  const refuses = (key: string, preset: string) => (config[key] || preset) === "block";
  if (clustered && refuses("restricted.cluster.target", "block")) {
    found.push({ detail: "does not allow choosing the member of a machine", set: "restricted.cluster.target=allow" });
  }
  const gpuModels = Object.values(settings.gpuModels);
  if (refuses("restricted.devices.gpu", "block")) {
    const whose = gpuModels.length > 0 ? "the GPUs of gpu_models" : "any GPU";
    found.push({ detail: `does not allow machines to have ${whose}`, set: "restricted.devices.gpu=allow" });
  }
  if (refuses("restricted.devices.disk", "managed")) {
    found.push({ detail: "does not allow machines to have file systems", set: "restricted.devices.disk=managed" });
  }
  if (refuses("restricted.devices.nic", "managed")) {
    found.push({ detail: "does not allow machines to have a network", set: "restricted.devices.nic=managed" });
  }
  const { nic, pool } = settings;
  const networks = config["restricted.networks.access"];
  if (nic.kind === "network" && networks && !among(networks, nic.network)) {
    found.push({
      detail: `does not allow machines to use the network ${nic.network}`,
      set: `restricted.networks.access=${networks},${nic.network}`,
    });
  }
  const pools = config["restricted.storage-pools.access"];
  if (pools && !among(pools, pool)) {
    found.push({
      detail: `does not allow machines to use the pool ${pool}`,
      set: `restricted.storage-pools.access=${pools},${pool}`,
    });
  }
  const groups = config["restricted.cluster.groups"];
  const { regionOf } = settings;
  if (clustered && groups && regionOf.kind === "groups") {
    for (const { group } of regionOf.groups.filter(({ group }) => !among(groups, group))) {
      found.push({
        detail: `does not allow machines to use members of the group ${group}`,
        set: `restricted.cluster.groups=${groups},${group}`,
      });
    }
  }
  return found;
}

/** Limits of zero. */
function nothingAllowed(config: Config, { kind }: IncusSettings): Refusal[] {
  return ["limits.instances", `limits.${kind}s`]
    .filter((key) => config[key] === "0")
    .map((key) => ({ detail: `allows no ${kind} (${key} is 0)`, set: `${key}=` }));
}

function among(list: string, name: string): boolean {
  return list
    .split(",")
    .map((one) => one.trim())
    .includes(name);
}

function isOn(value: string | undefined): boolean {
  return value === "true" || value === "1" || value === "yes" || value === "on";
}
