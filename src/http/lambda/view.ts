// The lambda edition: its views. Every field is explicit. A missing address is omitted, because clients take null or an
// empty string for one; other fields are always present, because clients need them.

import type { Account } from "../../rental/accounts/account-store.ts";
import { imageIdIn } from "../../rental/catalog/image-choice.ts";
import type { Image } from "../../rental/catalog/image-store.ts";
import type { Offer } from "../../rental/catalog/offers.ts";
import type { Region } from "../../rental/catalog/region-store.ts";
import type { FileSystem } from "../../rental/file-systems/file-systems.ts";
import type { Instance, InstanceType } from "../../rental/instances/instance.ts";
import { defaultMountPoint } from "../../rules/mount-points.ts";
import type { Jupyter } from "../api/jupyter.ts";
import { wholeGib } from "../api/storage-size.ts";
import { generatedKey, key } from "../reference/view.ts";
import { type ActionSettings, actionsOf } from "./actions.ts";
import { statusOf } from "./status-labels.ts";

/** As in R. */
export { generatedKey, key };

export function offer({ product, regions }: Offer) {
  return {
    instance_type: instanceType(product),
    regions_with_capacity_available: regions.map(region),
  };
}

export function instance(one: Instance, jupyter: Jupyter, settings: ActionSettings) {
  return {
    id: one.id,
    name: one.name,
    ...(one.ip !== null && { ip: one.ip, private_ip: one.ip }),
    status: statusOf(one),
    ssh_key_names: one.sshKeys.map(({ name }) => name),
    file_system_names: [...one.fileSystemNames],
    file_system_mounts: one.fileSystemMounts.map(mount),
    region: region(one.region),
    instance_type: instanceType(one.product),
    hostname: one.hostname,
    jupyter_token: jupyter.token,
    jupyter_url: jupyter.url,
    is_reserved: false,
    firewall_rulesets: one.firewallRulesetIds.map((id) => ({ id })),
    tags: one.tags.map(({ key, value }) => ({ key, value })),
    actions: actionsOf(one, settings),
  };
}

export function image(one: Image, where: Region) {
  return {
    id: imageIdIn(one.name, where.name),
    created_time: one.createdAt.toISOString(),
    updated_time: one.updatedAt.toISOString(),
    name: one.name,
    description: one.description,
    family: one.family,
    version: one.version,
    architecture: one.architecture,
    region: region(where),
  };
}

function mount({ fileSystemId, mountPoint }: Instance["fileSystemMounts"][number]) {
  return { mount_point: mountPoint, file_system_id: fileSystemId };
}

/** Where clients of this edition expect file systems. */
export const mountDirectory = "/lambda/nfs";

/** `regions`: all regions. */
export function fileSystem(
  one: FileSystem,
  account: Pick<Account, "id" | "name" | "status">,
  regions: readonly Region[],
) {
  return {
    id: one.id,
    name: one.name,
    mount_point: defaultMountPoint(one.name, mountDirectory),
    created: one.createdAt.toISOString(),
    created_by: {
      id: account.id,
      email: account.name,
      status: account.status === "active" ? ("active" as const) : ("deactivated" as const),
    },
    is_in_use: one.attachedTo.length > 0,
    region: region(regions.find(({ name }) => name === one.region) ?? { name: one.region, description: "" }),
    bytes_used: one.bytesUsed ?? 0,
  };
}

export function region({ name, description }: Region) {
  return { name, description };
}

function instanceType(product: InstanceType) {
  return {
    name: product.name,
    description: product.description,
    gpu_description: product.gpuDescription,
    architecture: product.architecture,
    price_cents_per_hour: product.priceCentsPerHour,
    specs: {
      vcpus: product.vcpus,
      memory_gib: product.memoryGib,
      storage_gib: wholeGib(product.storageGb),
      gpus: product.gpus,
    },
  };
}
