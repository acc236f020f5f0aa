// Variant M: examples for its document. The view creates them from one sample instance, so they cannot drift.

import { sampleInstance, sampleOffer } from "../api/samples.ts";
import { sample } from "../api/schema.ts";
import * as view from "./view.ts";

export const instanceTypes = { data: { [sampleOffer.product.name]: view.offer(sampleOffer) } };
export const listed = view.listed(sampleInstance, { token: "", url: "" });
export const read = view.read(sampleInstance);
export const instanceIds = { instance_ids: [sample.id] };
export const instanceUuids = { instance_uuids: [sample.id] };

export const launch = {
  instance_type_name: sampleOffer.product.name,
  region_name: "any",
  ssh_key_names: ["laptop"],
  quantity: 2,
  name: "training",
  env_vars: { HF_HOME: "/mnt/models" },
};
export const launched = { data: { uuid: sample.id, uuids: [sample.id, sample.secondId] } };
