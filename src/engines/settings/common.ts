// What the settings of every engine with real machines have in common, once the schema (common-schema.ts) has checked
// it: defaults, and what several values must be together.
// Invariant: no error repeats a value. Used by engines/incus/settings/settings.ts and engines/libvirt/settings/settings.ts.

import { isAddress, isNetwork } from "../../settings/addresses.ts";
import { ConfigError } from "../../settings/error.ts";
import type { Called } from "../../settings/setting-path.ts";
import type { CommonFileSettings } from "./common-schema.ts";

/** By PCI vendor and device in lower case, such as "10de:2331". Has no prototype. */
export type GpuModels = Readonly<Record<string, { readonly model: string; readonly memoryGib: number }>>;

/** Kept back on each host. */
export interface Reserved {
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
}

/** How to find out whether a guest answers on its SSH port. `command`: its standard input and output are a connection. */
export type SshProbe =
  | { readonly kind: "tcp"; readonly port: number }
  | { readonly kind: "command"; readonly command: readonly string[]; readonly port: number };

export interface CommonSettings {
  readonly gpuModels: GpuModels;
  readonly reserved: Reserved;
  /** How many vCPUs one hardware thread counts as. */
  readonly cpuRatio: number;
  readonly sshProbe: SshProbe;
  /** How long a guest may take to halt before it is forced. */
  readonly stopGraceSeconds: number;
  /**
   * The operator's own networks, in CIDR notation: guests open no connection to them, and are reached from them whatever
   * their firewall rules say.
   */
  readonly managementNetworks: readonly string[];
}

/** What may stand in braces in `ssh_probe.command`. */
export const sshProbePlaceholders = ["ip", "host", "port"] as const;

/** The common settings of one engine, with their defaults. Throws ConfigError. */
export function resolveCommon(settings: CommonFileSettings, called: Called): CommonSettings {
  return {
    gpuModels: resolveGpuModels(settings.gpu_models, called),
    reserved: {
      vcpus: settings.reserved?.vcpus ?? 0,
      memoryGib: settings.reserved?.memory_gib ?? 0,
      storageGb: settings.reserved?.storage_gb ?? 0,
    },
    cpuRatio: settings.cpu_ratio ?? 1,
    sshProbe: resolveSshProbe(settings.ssh_probe, called),
    stopGraceSeconds: settings.stop_grace_seconds ?? 30,
    managementNetworks: resolveNetworks(settings.management_networks ?? [], called),
  };
}

/** The same by another key and value, and without a prototype: a catalogue may well have an image called "constructor". */
export function byName<From, To>(
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

function resolveGpuModels(settings: CommonFileSettings["gpu_models"], called: Called): GpuModels {
  const lowerCase = Object.keys(settings ?? {}).map((id) => id.toLowerCase());
  if (new Set(lowerCase).size < lowerCase.length) {
    throw new ConfigError(`${called("gpu_models")} must have each device once: case is ignored.`);
  }
  return byName(settings, ({ model, memory_gib }, id) => [id.toLowerCase(), { model, memoryGib: memory_gib }]);
}

function resolveNetworks(networks: readonly string[], called: Called): string[] {
  return networks.map((text, index) => {
    if (!isAddress(text) && !isNetwork(text)) {
      throw new ConfigError(
        `${called("management_networks", index)} must be an address such as 10.0.0.7, or a network such as 10.0.0.0/24.`,
      );
    }
    return text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
  });
}

function resolveSshProbe(settings: CommonFileSettings["ssh_probe"], called: Called): SshProbe {
  const { command, port = 22 } = settings ?? {};
  if (command === undefined) return { kind: "tcp", port };
  // Braces of a shell (${NAME}, { …; }) are the command's own business.
  const inBraces = command.flatMap((word) => [...word.matchAll(/(?<!\$)\{(\w+)\}/g)].map((match) => match[1]));
  const unknown = inBraces.some((name) => !sshProbePlaceholders.some((known) => known === name));
  if (unknown || !inBraces.includes("ip")) {
    throw new ConfigError(
      `${called("ssh_probe", "command")} must contain {ip} and can contain {host} and {port}, ` +
        "but no other text in braces.",
    );
  }
  return { kind: "command", command, port };
}
