// What the cluster is told to make: the body of POST /1.0/instances, from a machine's spec. Pure.
//
// Invariant: it holds no secret. It stays in the cluster's database and shows to whoever may read instances; what the
// guest must know beyond it is delivered into the guest (deliver-secrets.ts).

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
      // A member that is emptied stops its machines and starts them again afterwards: GPUs do not move.
      "cluster.evacuate": "stop",
    },
    devices: {
      root: { type: "disk", path: "/", pool: settings.pool, size: `${spec.storageGb}GB` },
      ...(settings.nic.kind === "network" ? { eth0: { ...nic(settings.nic.network, layout), ...filter } } : {}),
      ...Object.fromEntries(spec.gpuAddresses.map((pci, index) => [`gpu${index}`, gpu(pci)])),
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
 * On a bridge nobody reaches another machine of the same host, and nobody can use a MAC or IP address that is not his.
 * Other kinds of network know none of these keys, and separate their machines themselves (OVN: by its own ACLs).
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

function gpu(pci: string): Record<string, string> {
  return { type: "gpu", gputype: "physical", pci };
}

/** A name that the settings do not list is an alias on the cluster. */
function imageSource(images: Readonly<Record<string, IncusImageSource>>, name: string): Record<string, string> {
  const source = Object.hasOwn(images, name) ? images[name] : undefined;
  if (source === undefined) return { alias: name };
  if (source.kind === "fingerprint") return { fingerprint: source.fingerprint };
  if (source.kind === "alias") return { alias: source.alias };
  return { alias: source.alias, server: source.server, protocol: source.protocol, mode: "pull" };
}
