// Whether the API is new enough: its version, and the extensions that the engine uses.

import { type Finding, ok, problem } from "../../check/finding.ts";
import type { IncusSettings } from "../settings/settings.ts";
import type { Subject } from "./subject.ts";

/** The oldest supported versions. Any other software is an untested fork. */
const oldest: Readonly<Record<string, readonly [major: number, minor: number]>> = { incus: [6, 0], lxd: [5, 0] };

interface Need {
  readonly extension: string;
  readonly why: string;
  /** Undefined: always. */
  readonly when?: (settings: IncusSettings, clustered: boolean) => boolean;
}

/** By LXD's names, which Incus has kept. Source: doc/api-extensions.md of both. */
const needs: readonly Need[] = [
  { extension: "instances", why: "instances of both kinds under one path" },
  { extension: "virtual-machines", why: "virtual machines", when: ({ kind }) => kind === "virtual-machine" },
  { extension: "image_types", why: "images of both kinds" },
  { extension: "instance_get_full", why: "an instance with its state and addresses in one request" },
  { extension: "projects", why: "machines in a project of their own" },
  { extension: "patch", why: "labeling machines" },
  { extension: "directory_manipulation", why: "delivering secrets to guests" },
  { extension: "cloud_init", why: "keys, users and commands of the guests" },
  { extension: "storage", why: "storage pools, and volumes for file systems" },
  { extension: "resources_v2", why: "the host inventory" },
  { extension: "resources_gpu", why: "GPUs of hosts" },
  { extension: "gpu_devices", why: "GPUs of machines" },
  { extension: "event_lifecycle", why: "events" },
  { extension: "console", why: "console logs and consoles" },
  { extension: "container_exec_user_group_cwd", why: "terminals" },
  {
    extension: "instance_nic_bridged_port_isolation",
    why: "isolating machines of one host",
    when: ({ nic }) => nic.kind === "network",
  },
  {
    extension: "container_nic_ipfilter",
    why: "preventing address spoofing",
    when: ({ nic }) => nic.kind === "network",
  },
  { extension: "clustering", why: "placing machines on members", when: (_, clustered) => clustered },
  { extension: "clustering_evacuation", why: "evacuating members", when: (_, clustered) => clustered },
  {
    extension: "clustering_groups",
    why: "regions by member group",
    when: ({ regionOf }) => regionOf.kind === "groups",
  },
];

export async function* checkApiLevel({ cluster, server }: Subject): AsyncGenerator<Finding> {
  const { settings } = cluster;
  const { server: software, server_version: version, server_clustered: clustered } = server.environment;
  const least = oldest[software];
  const missing = needs.filter(
    ({ extension, when }) => (when?.(settings, clustered) ?? true) && !server.api_extensions.includes(extension),
  );
  if (least === undefined) {
    yield problem("API", `this is ${software} ${version}`, "use Incus 6.0 or newer, or LXD 5.0 or newer");
  } else if (isOlder(version, least)) {
    yield problem("API", `this is ${software} ${version}`, `upgrade to ${least.join(".")} or newer`);
  }
  for (const { extension, why } of missing) {
    yield problem("API", `the extension ${extension} is missing (needed for ${why})`, "upgrade the cluster");
  }
  if (least !== undefined && !isOlder(version, least) && missing.length === 0) {
    yield ok("API", `${software} ${version} with all required extensions`);
  }
}

/** A version that cannot be parsed counts as new: then the extensions decide. */
function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const numbers = /^(\d+)\.(\d+)/.exec(version);
  if (numbers === null) return false;
  const [theirMajor, theirMinor] = [Number(numbers[1]), Number(numbers[2])];
  return theirMajor < major || (theirMajor === major && theirMinor < minor);
}
