// Variant M: its views. Every field is explicit, so none is exposed by accident.

import type { Offer } from "../../rental/catalog/offers.ts";
import type { Instance, InstanceType } from "../../rental/instances/instance.ts";
import type { SshKey } from "../../rental/ssh-keys/ssh-key.ts";
import type { Jupyter } from "../api/jupyter.ts";
import { listWords, operationWords } from "./status-labels.ts";

export function offer({ product, regions, capacityAvailable }: Offer) {
  return {
    instance_type: withSpecs(product),
    regions_with_capacity_available: regions.map(({ name, description }) => ({ name, description })),
    capacity_available: capacityAvailable,
  };
}

/** An entry of the list. */
export function listed(instance: Instance, jupyter: Jupyter) {
  const { product } = instance;
  return {
    ...common(instance),
    status: listWords[instance.state],
    instance_type: {
      name: product.name,
      description: product.description,
      price_cents_per_hour: product.priceCentsPerHour,
      vcpu: product.vcpus,
      ram: product.memoryGib,
      storage: product.storageGb,
    },
    jupyter_token: jupyter.token,
    jupyter_url: jupyter.url,
  };
}

export function read(instance: Instance) {
  return { ...detailed(instance), status: listWords[instance.state] };
}

/** The view in responses to stop, restart and terminate. */
export function changed(instance: Instance) {
  return { ...detailed(instance), status: operationWords[instance.state] };
}

export function key({ id, name, publicKey }: SshKey) {
  return { id, name, public_key: publicKey };
}

function detailed(instance: Instance) {
  return { ...common(instance), instance_type: withSpecs(instance.product), jupyter_token: "", jupyter_url: "" };
}

function common(instance: Instance) {
  return {
    id: instance.id,
    name: instance.name,
    ip: instance.ip ?? "",
    ssh_key_names: instance.sshKeys.map(({ name }) => name),
    file_system_names: [...instance.fileSystemNames],
    region: { name: instance.region.name, description: instance.region.description },
  };
}

function withSpecs(product: InstanceType) {
  return {
    name: product.name,
    description: product.description,
    price_cents_per_hour: product.priceCentsPerHour,
    specs: { vcpu_count: product.vcpus, memory_gib: product.memoryGib, storage_gb: product.storageGb },
  };
}
