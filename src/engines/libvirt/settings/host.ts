// The hosts of the engines in `libvirt:` of lessor.yaml. The schema (schema.ts) has checked every value by itself; here
// is what several must be together, and the defaults.
// Invariant: no error repeats a value. Used by engines/libvirt/settings/settings.ts.

import { ConfigError } from "../../../settings/error.ts";
import { type Called, settingIn, settingName } from "../../../settings/setting-path.ts";
import type { LibvirtFileSettings } from "./schema.ts";
import { resolveUri } from "./uri.ts";

export interface LibvirtHostSettings {
  /** Unique among the hosts of all these engines, as every host of the service has a name of its own. */
  readonly name: string;
  readonly region: string;
  /** For `virsh --connect`: one of the allowed transports, path /system, without a password. Leads to no other host. */
  readonly uri: string;
  /** What its machines run on: the hardware's virtualisation, or software. */
  readonly accelerator: "kvm" | "emulated";
  /** What the operator says of it, instead of what is discovered where undefined; `reserved` and `cpuRatio` hold for both. */
  readonly declared: {
    /** Hardware threads. */
    readonly vcpus: number | undefined;
    readonly memoryGib: number | undefined;
    readonly storageGb: number | undefined;
    readonly gpus: readonly RegisteredGpu[] | undefined;
  };
}

export interface RegisteredGpu {
  /** As dddd:bb:ss.f in lower-case hex. Unique within the host. */
  readonly address: string;
  readonly model: string;
  readonly memoryGib: number;
  readonly numaNode: number;
}

type HostSetting = LibvirtFileSettings["hosts"][number];
type GpuSetting = NonNullable<NonNullable<HostSetting["declared"]>["gpus"]>[number];

/** One host; `ofEngine` is the accelerator of those that have none of their own. Throws ConfigError. */
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
  // As libvirt and the kernel write it; lspci leaves the domain 0000 out.
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

/**
 * Throws ConfigError where two hosts have the same name, or the same daemon. Across engines too: each would rent out the
 * whole of a host that they share, and so all of it twice.
 */
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
