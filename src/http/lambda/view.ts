// The lambda edition: how it words what the rental knows. Every field is written out. An address that is not there yet is
// left out, for clients take null or an empty text for one; everything else is always there, for they fail where it is not.

import type { Offer, Region } from "../../rental/catalog/index.ts";
import type { Instance, Product } from "../../rental/instances/index.ts";
import type { Jupyter } from "../jupyter.ts";
import { generatedKey, key } from "../reference/view.ts";
import { actionsOf } from "./actions.ts";
import { statusOf } from "./words.ts";

/** As in R. */
export { generatedKey, key };

export function offer({ product, regions }: Offer) {
  return {
    instance_type: instanceType(product),
    regions_with_capacity_available: regions.map(region),
  };
}

export function instance(one: Instance, jupyter: Jupyter) {
  return {
    id: one.id,
    name: one.name,
    ...(one.ip !== null && { ip: one.ip, private_ip: one.ip }),
    status: statusOf(one),
    ssh_key_names: one.sshKeys.map(({ name }) => name),
    file_system_names: [...one.fileSystemNames],
    region: region(one.region),
    instance_type: instanceType(one.product),
    hostname: one.hostname,
    jupyter_token: jupyter.token,
    jupyter_url: jupyter.url,
    is_reserved: false,
    actions: actionsOf(one),
  };
}

export function region({ name, description }: Region) {
  return { name, description };
}

/** The catalogue has one storage figure, in GB; clients know it as storage_gib. */
function instanceType(product: Product) {
  return {
    name: product.name,
    description: product.description,
    gpu_description: product.gpuDescription,
    price_cents_per_hour: product.priceCentsPerHour,
    specs: {
      vcpus: product.vcpus,
      memory_gib: product.memoryGib,
      storage_gib: product.storageGb,
      gpus: product.gpus,
    },
  };
}
