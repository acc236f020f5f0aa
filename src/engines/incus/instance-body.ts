// The body of POST /1.0/instances, from a machine's spec. Pure.
//
// Invariant: it contains no secret, because the cluster's database stores it and everyone with read access sees it;
// secrets are delivered into the guest (start.ts).

import type { MachineSpec } from "../engine.ts";
import { userDataFor } from "../guest/user-data.ts";
import type { Cluster } from "./cluster.ts";
import type { NicFilter } from "./firewall.ts";
import { instanceName, labelsOf, volumeName } from "./labels.ts";
import type { IncusImageSource } from "./settings/image.ts";

/** `filter`: the keys that put its firewall rules on its NIC (firewall.ts). */
export function instanceBody(
  { settings, installation, layout }: Cluster,
  spec: MachineSpec,
  filter: NicFilter = {},
): object {
  return {
    name: instanceName(spec.id),
    type: settings.kind,
    source: { type: "image", ...imageSource(settings.images, spec.image) },
    profiles: settings.nic.kind === "profile" ? [settings.nic.profile] : [],
    config: {
      ...labelsOf(spec, installation),
      "limits.cpu": `${spec.vcpus}`,
      "limits.memory": `${spec.memoryGib}GiB`,
      "cloud-init.user-data": userDataFor(spec.guest, "file"),
      // Evacuating a member stops its machines and starts them afterwards: GPUs cannot move.
      "cluster.evacuate": "stop",
    },
    devices: {
      root: { type: "disk", path: "/", pool: settings.pool, size: `${spec.storageGb}GB` },
      ...(settings.nic.kind === "network" ? { eth0: { ...nic(settings.nic.network, layout), ...filter } } : {}),
      ...gpuDevices(spec.gpuAddresses),
      ...Object.fromEntries(
        spec.guest.fileSystems.map(({ id, mountPoint }) => [
          `fs-${id}`,
          { type: "disk", pool: settings.pool, source: volumeName(id), path: mountPoint },
        ]),
      ),
    },
  };
}

/**
 * On a bridge, machines of one host cannot reach each other, and cannot use a foreign MAC or IP address. Other network
 * types do not have these keys, and isolate machines themselves (OVN: by ACLs).
 */
function nic(network: string, { networkType, ipv6 }: Cluster["layout"]): Record<string, string> {
  const device = { type: "nic", name: "eth0", network };
  if (networkType !== "bridge") return device;
  return {
    ...device,
    "security.port_isolation": "true",
    "security.mac_filtering": "true",
    "security.ipv4_filtering": "true",
    ...(ipv6 === true ? { "security.ipv6_filtering": "true" } : {}),
  };
}

/** By name. */
export function gpuDevices(addresses: readonly string[]): Record<string, Record<string, string>> {
  return Object.fromEntries(addresses.map((pci, index) => [`gpu${index}`, { type: "gpu", gputype: "physical", pci }]));
}

/** An image that the settings do not list is an alias on the cluster. */
function imageSource(images: Readonly<Record<string, IncusImageSource>>, name: string): Record<string, string> {
  const source = Object.hasOwn(images, name) ? images[name] : undefined;
  if (source === undefined) return { alias: name };
  if (source.kind === "fingerprint") return { fingerprint: source.fingerprint };
  if (source.kind === "alias") return { alias: source.alias };
  return { alias: source.alias, server: source.server, protocol: source.protocol, mode: "pull" };
}
