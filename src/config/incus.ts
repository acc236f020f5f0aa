// The clusters in `incus:` of lessor.yaml, each one an engine. The schema (incus-schema.ts) has checked every value by
// itself; here is what several must be together, and the defaults. What the cluster says to it all, the engine finds out.
// Invariant: no error repeats a value. Used by config.ts.

import { ConfigError } from "./error.ts";
import { type IncusEndpoint, type IncusTls, resolveEndpoints, resolveTls } from "./incus-connection.ts";
import { type IncusImageSource, resolveImage } from "./incus-image.ts";
import type { IncusFileSettings } from "./incus-schema.ts";
import { type Called, settingIn } from "./setting-path.ts";

export interface IncusClusterSettings {
  /** The engine's name; unique. */
  readonly name: string;
  /** Members of one cluster, in the order in which they are tried. At least one. */
  readonly endpoints: readonly IncusEndpoint[];
  /** Undefined where all endpoints are Unix sockets. */
  readonly tls: IncusTls | undefined;
  /** Of several groups that a member is in, the first counts. At least one. */
  readonly regionOf:
    | { readonly kind: "all"; readonly region: string }
    | { readonly kind: "groups"; readonly groups: readonly { readonly group: string; readonly region: string }[] };
  readonly kind: "virtual-machine" | "container";
  readonly project: string;
  readonly pool: string;
  readonly nic:
    | { readonly kind: "network"; readonly network: string }
    | { readonly kind: "profile"; readonly profile: string };
  /** By the image's name in the catalogue. Has no prototype, so it may be asked for any name. */
  readonly images: Readonly<Record<string, IncusImageSource>>;
  /** By PCI vendor and device in lower case, such as "10de:2331". Has no prototype. */
  readonly gpuModels: Readonly<Record<string, { readonly model: string; readonly memoryGib: number }>>;
  /** Kept back on each host. */
  readonly reserved: { readonly vcpus: number; readonly memoryGib: number; readonly storageGb: number };
  /** How many vCPUs one hardware thread counts as. */
  readonly cpuRatio: number;
  /** How to find out whether a guest answers on its SSH port. `command`: its standard input and output are a connection. */
  readonly sshProbe:
    | { readonly kind: "tcp"; readonly port: number }
    | { readonly kind: "command"; readonly command: readonly string[]; readonly port: number };
  /** How long a guest may take to halt before it is forced. */
  readonly stopGraceSeconds: number;
  /** Put before the names of members. */
  readonly hostPrefix: string;
}

/** What may stand in braces in `ssh_probe.command`. */
export const sshProbePlaceholders = ["ip", "host", "port"] as const;

/**
 * The clusters, with defaults and absolute paths. `file` is lessor.yaml: its name for the messages, and its directory,
 * where relative paths start. Throws ConfigError, also where a file that is named cannot be read.
 */
export function resolveIncusClusters(
  settings: readonly IncusFileSettings[] | undefined,
  file: { readonly name: string; readonly directory: string },
): IncusClusterSettings[] {
  const clusters = settings ?? [];
  for (const [index, { name }] of clusters.entries()) {
    const first = clusters.findIndex((other) => other.name === name);
    if (first === index) continue;
    throw new ConfigError(
      `${settingIn(["incus", index, "name"], file.name)} must not be the same as incus[${first}].name: ` +
        "each cluster is an engine, and hosts and instances know their engine by its name.",
    );
  }
  return clusters.map((cluster, index) =>
    resolveCluster(cluster, (...path) => settingIn(["incus", index, ...path], file.name), file.directory),
  );
}

function resolveCluster(settings: IncusFileSettings, called: Called, directory: string): IncusClusterSettings {
  const endpoints = resolveEndpoints(settings.urls, called);
  return {
    name: settings.name,
    endpoints,
    tls: resolveTls(settings.tls, endpoints, called, directory),
    regionOf: resolveRegions(settings, called),
    kind: settings.kind ?? "virtual-machine",
    project: settings.project ?? "default",
    pool: settings.pool ?? "default",
    nic: resolveNic(settings, called),
    images: byName(settings.images, (image, name) => [name, resolveImage(image, name, called)]),
    gpuModels: resolveGpuModels(settings.gpu_models, called),
    reserved: {
      vcpus: settings.reserved?.vcpus ?? 0,
      memoryGib: settings.reserved?.memory_gib ?? 0,
      storageGb: settings.reserved?.storage_gb ?? 0,
    },
    cpuRatio: settings.cpu_ratio ?? 1,
    sshProbe: resolveSshProbe(settings.ssh_probe, called),
    stopGraceSeconds: settings.stop_grace_seconds ?? 30,
    hostPrefix: settings.host_prefix ?? "",
  };
}

function resolveRegions({ region, regions }: IncusFileSettings, called: Called): IncusClusterSettings["regionOf"] {
  if ((region === undefined) === (regions === undefined)) {
    throw new ConfigError(
      `${called()} must have either region (one for the whole cluster) or regions (a map from member group to region).`,
    );
  }
  if (region !== undefined) return { kind: "all", region };
  const groups = Object.entries(regions ?? {}).map(([group, region]) => ({ group, region }));
  if (groups.length === 0) throw new ConfigError(`${called("regions")} must name at least one member group.`);
  return { kind: "groups", groups };
}

function resolveNic({ network, profile }: IncusFileSettings, called: Called): IncusClusterSettings["nic"] {
  if (network !== undefined && profile === undefined) return { kind: "network", network };
  if (profile !== undefined && network === undefined) return { kind: "profile", profile };
  throw new ConfigError(
    `${called()} must have either network (a managed network of the cluster) or profile (one that brings the NIC).`,
  );
}

function resolveGpuModels(
  settings: IncusFileSettings["gpu_models"],
  called: Called,
): IncusClusterSettings["gpuModels"] {
  const lowerCase = Object.keys(settings ?? {}).map((id) => id.toLowerCase());
  if (new Set(lowerCase).size < lowerCase.length) {
    throw new ConfigError(`${called("gpu_models")} must have each device once: large and small letters are the same.`);
  }
  return byName(settings, ({ model, memory_gib }, id) => [id.toLowerCase(), { model, memoryGib: memory_gib }]);
}

function resolveSshProbe(settings: IncusFileSettings["ssh_probe"], called: Called): IncusClusterSettings["sshProbe"] {
  const { command, port = 22 } = settings ?? {};
  if (command === undefined) return { kind: "tcp", port };
  // Braces of a shell (${NAME}, { …; }) are the command's own business.
  const inBraces = command.flatMap((word) => [...word.matchAll(/(?<!\$)\{(\w+)\}/g)].map((match) => match[1]));
  const unknown = inBraces.some((name) => !sshProbePlaceholders.some((known) => known === name));
  if (unknown || !inBraces.includes("ip")) {
    throw new ConfigError(
      `${called("ssh_probe", "command")} must have {ip} somewhere, and may have {host} and {port}, ` +
        "but nothing else in braces.",
    );
  }
  return { kind: "command", command, port };
}

/** The same by another key and value, and without a prototype: a catalogue may well have an image called "constructor". */
function byName<From, To>(
  map: Readonly<Record<string, From>> | undefined,
  entry: (value: From, key: string) => readonly [string, To],
): Readonly<Record<string, To>> {
  const made: Record<string, To> = Object.create(null);
  for (const [key, value] of Object.entries(map ?? {})) {
    const [newKey, newValue] = entry(value, key);
    made[newKey] = newValue;
  }
  return made;
}
