// Variant D: its views of instances and inventory. Every field is explicit, so none is exposed by accident.

import type { Image } from "../../rental/catalog/image-store.ts";
import type { Offer } from "../../rental/catalog/offers.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { dollars6, dollarsNumber } from "../../rules/cost.ts";
import { activeNumbers, bootedNumbers, operationWords, statusWords } from "./status-labels.ts";

export function offer({ product, regions, capacityAvailable }: Offer) {
  return {
    instance_type: {
      name: product.name,
      description: product.description,
      price_cents_per_hour: product.priceCentsPerHour,
      specs: { vcpu_count: product.vcpus, memory_gib: product.memoryGib, storage_gb: product.storageGb },
    },
    regions_with_capacity_available: regions.map(({ name, description }) => ({ name, description })),
    capacity_available: capacityAvailable,
  };
}

/** An entry of the list: prices are numbers. `password` is 0 if password login is off. */
export function listed(instance: Instance, password: number) {
  const { priceCentsPerHour, discountBasisPoints } = priceOf(instance);
  return {
    ...common(instance, password),
    product: {
      ...specs(instance),
      price_hr: dollarsNumber(priceCentsPerHour),
      final_price_hr: dollarsNumber(priceCentsPerHour, discountBasisPoints),
    },
  };
}

/** The view of a single read: prices are strings. */
export function read(instance: Instance, password: number) {
  const { priceCentsPerHour, discountBasisPoints } = priceOf(instance);
  return {
    ...common(instance, password),
    product: {
      ...specs(instance),
      price_hr: dollars6(priceCentsPerHour),
      final_price_hr: dollars6(priceCentsPerHour, discountBasisPoints),
    },
  };
}

export function restarted(instance: Instance) {
  const { product } = instance;
  return {
    ...inOperation(instance),
    instance_type: {
      name: product.name,
      description: product.description,
      price_cents_per_hour: product.priceCentsPerHour,
      specs: { vcpus: product.vcpus, memory_gib: product.memoryGib, storage_gb: product.storageGb },
    },
  };
}

export function terminated(instance: Instance) {
  const { name, description } = instance.product;
  return { ...inOperation(instance), instance_type: { name, description } };
}

export function image({ number, name, description }: Image) {
  return { vm_image_id: number, vm_image_name: name, vm_image_description: description };
}

function common(instance: Instance, password: number) {
  return {
    uuid: instance.id,
    name: instance.name,
    ip: instance.ip ?? "",
    username: instance.loginUser,
    password,
    status: statusWords[instance.state],
    os_booted: bootedNumbers[instance.state],
    command_startup: instance.command ?? "",
    created: instance.createdAt.toISOString(),
    active: activeNumbers[instance.state],
    image: { id: instance.image.number, name: instance.image.name, description: instance.image.description },
    region: region(instance),
  };
}

function specs({ product }: Instance) {
  return {
    name: product.name,
    description: product.description,
    gpu_count: product.gpus,
    vcpu: product.vcpus,
    ram: product.memoryGib,
    storage: product.storageGb,
  };
}

/** In the shape of variant M. */
function inOperation(instance: Instance) {
  return {
    id: instance.id,
    name: instance.name,
    ip: instance.ip ?? "",
    status: operationWords[instance.state],
    ssh_key_names: instance.sshKeys.map(({ name }) => name),
    file_system_names: [...instance.fileSystemNames],
    region: region(instance),
    jupyter_token: "",
    jupyter_url: "",
  };
}

function priceOf({ product, coupon }: Instance) {
  return { priceCentsPerHour: product.priceCentsPerHour, discountBasisPoints: coupon?.discountBasisPoints ?? 0 };
}

function region(instance: Instance) {
  return { name: instance.region.name, description: instance.region.description };
}
