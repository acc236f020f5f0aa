// Variant R: examples for its document. The view creates them from one sample instance, so they cannot drift.

import { sampleInstance, sampleOffer } from "../api/samples.ts";
import { sample } from "../api/schema.ts";
import * as view from "./view.ts";

export const instanceTypes = { data: { [sampleOffer.product.name]: view.offer(sampleOffer) } };
export const instance = view.instance(sampleInstance);
export const instanceIds = { instance_ids: [sample.id] };
export const key = { id: sample.keyId, name: "laptop", public_key: sample.publicKey };
export const launch = {
  region_name: "any",
  instance_type_name: sampleOffer.product.name,
  ssh_key_names: ["laptop"],
  file_system_names: [],
  quantity: 1,
  name: "training",
};
