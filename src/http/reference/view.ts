// Variant R 1.0.3: its views. Every field is explicit, so none is exposed by accident.

import type { Offer } from "../../rental/catalog/offers.ts";
import type { Instance, InstanceType } from "../../rental/instances/instance.ts";
import type { SshKey } from "../../rental/ssh-keys/ssh-key.ts";
import { wholeGib } from "../api/storage-size.ts";
import { words } from "./status-labels.ts";

export function offer({ product, regions }: Offer) {
  return {
    instance_type: {
      name: product.name,
      description: product.description,
      price_cents_per_hour: product.priceCentsPerHour,
      specs: specs(product),
    },
    regions_with_capacity_available: regions.map(({ name, description }) => ({ name, description })),
  };
}

export function instance(one: Instance) {
  const { product } = one;
  return {
    id: one.id,
    name: one.name,
    ip: one.ip ?? "",
    status: words[one.state],
    ssh_key_names: one.sshKeys.map(({ name }) => name),
    file_system_names: [...one.fileSystemNames],
    region: { name: one.region.name, description: one.region.description },
    instance_type: {
      name: product.name,
      description: product.description,
      gpu_description: product.gpuDescription,
      price_cents_per_hour: product.priceCentsPerHour,
      specs: { ...specs(product), gpus: product.gpus },
    },
    hostname: one.hostname,
  };
}

export function key({ id, name, publicKey }: SshKey) {
  return { id, name, public_key: publicKey };
}

/** With the private key of a generated pair. */
export function generatedKey(one: SshKey & { privateKey: string }) {
  return { ...key(one), private_key: one.privateKey };
}

function specs(product: InstanceType) {
  return { vcpus: product.vcpus, memory_gib: product.memoryGib, storage_gib: wholeGib(product.storageGb) };
}
