// The hosts of the engines in `libvirt:` of lessor.yaml. The schema (schema.ts) has validated single values; this file
// checks combinations and sets defaults. Invariant: no error repeats a value. Used by
// engines/libvirt/settings/settings.ts.

import { ConfigError } from "../../../settings/error.ts";
import { type Called, settingIn, settingName } from "../../../settings/setting-path.ts";
import type { LibvirtFileSettings } from "./schema.ts";
import { resolveUri } from "./uri.ts";

export interface LibvirtHostSettings {
  /** Unique among all hosts of these engines. */
  readonly name: string;
  readonly region: string;
  /** For `virsh --connect`: an allowed transport, path /system, no password. No other host has it. */
  readonly uri: string;
  /** Hardware virtualization, or software. */
  readonly accelerator: "kvm" | "emulated";
  /** Overrides discovery; undefined values are discovered. `reserved` and `cpuRatio` apply to both. */
  readonly declared: {
    readonly vcpus: number | undefined;
    readonly memoryGib: number | undefined;
    readonly storageGb: number | undefined;
    readonly gpus: readonly RegisteredGpu[] | undefined;
  };
}

export interface RegisteredGpu {
  /** dddd:bb:ss.f in lower-case hex. Unique within the host. */
  readonly address: string;
  readonly model: string;
  readonly memoryGib: number;
  readonly numaNode: number;
}

type HostSetting = LibvirtFileSettings["hosts"][number];
type GpuSetting = NonNullable<NonNullable<HostSetting["declared"]>["gpus"]>[number];

/** One host; `ofEngine` is the default accelerator. Throws ConfigError. */
export function resolveHost(
  { name, region, uri, accelerator, declared }: HostSetting,
  ofEngine: LibvirtHostSettings["accelerator"],
  called: Called,
): LibvirtHostSettings {
  return {
    name,
    region,
    uri: resolveUri(uri, called("uri")).uri,
    accelerator: accelerator ?? ofEngine,
    declared: {
      vcpus: declared?.vcpus,
      memoryGib: declared?.memory_gib,
      storageGb: declared?.storage_gb,
      gpus: declared?.gpus && resolveGpus(declared.gpus, called),
    },
  };
}

function resolveGpus(gpus: readonly GpuSetting[], called: Called): RegisteredGpu[] {
  // The format of libvirt and the kernel; lspci omits the domain 0000.
  const addresses = gpus.map(({ address }) => (address.length < 12 ? `0000:${address}` : address).toLowerCase());
  return gpus.map(({ model, memory_gib, numa_node }, index) => {
    const address = addresses[index] ?? "";
    const first = addresses.indexOf(address);
    if (first === index) return { address, model, memoryGib: memory_gib, numaNode: numa_node ?? 0 };
    throw new ConfigError(
      `${called("declared", "gpus", index, "address")} must not be the same as that of gpus[${first}].`,
    );
  });
}

/** Throws ConfigError if two hosts have the same name or daemon. Across engines too: each would offer the whole shared host. */
export function refuseSharedHosts(engines: readonly LibvirtFileSettings[], fileName: string): void {
  const names = new Map<string, string>();
  const daemons = new Map<string, string>();
  for (const [engineIndex, engine] of engines.entries()) {
    for (const [hostIndex, host] of engine.hosts.entries()) {
      const path = (key: string) => ["libvirt", engineIndex, "hosts", hostIndex, key];
      const { daemon } = resolveUri(host.uri, settingIn(path("uri"), fileName));
      const sameName = names.get(host.name);
      if (sameName !== undefined) {
        throw new ConfigError(
          `${settingIn(path("name"), fileName)} must not be the same as ${sameName}: host names are unique.`,
        );
      }
      const sameDaemon = daemons.get(daemon);
      if (sameDaemon !== undefined) {
        throw new ConfigError(
          `${settingIn(path("uri"), fileName)} must not point to the same host as ${sameDaemon}: ` +
            "its resources would be rented twice.",
        );
      }
      names.set(host.name, settingName(path("name")));
      daemons.set(daemon, settingName(path("uri")));
    }
  }
}
