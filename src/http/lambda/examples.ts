// The lambda edition: examples for its document. The view creates them from one sample instance, so they cannot drift.

import { sampleImage, sampleInstance, sampleOffer } from "../api/samples.ts";
import { sample } from "../api/schema.ts";
import * as view from "./view.ts";

export const instanceTypes = { data: { [sampleOffer.product.name]: view.offer(sampleOffer) } };
const settings = { restartReboots: false, canMove: () => true };
export const instance = view.instance(sampleInstance, { token: "", url: "" }, settings);
export const bootingInstance = view.instance(
  { ...sampleInstance, state: "booting", ip: null },
  { token: "", url: "" },
  settings,
);
export const endedInstance = view.instance(
  { ...sampleInstance, state: "terminating" },
  { token: "", url: "" },
  settings,
);
export const image = view.image(sampleImage, sample.region);
export const instanceIds = { instance_ids: [sample.id] };
export const key = { id: sample.keyId, name: "laptop", public_key: sample.publicKey };
export const fileSystem = view.fileSystem(
  {
    id: "0198c5a4-33cc-7dd4-9ee5-ff6677889900",
    name: "models",
    region: sample.region.name,
    sizeGb: 1000,
    attachedTo: [],
    multiAttach: false,
    bytesUsed: undefined,
    lostAt: undefined,
    isBlocked: false,
    pin: undefined,
    createdAt: new Date("2026-03-01T11:00:00.000Z"),
  },
  { id: sampleInstance.accountId, name: "ada", status: "active" },
  [sample.region],
);
export const launch = {
  region_name: sample.region.name,
  instance_type_name: sampleOffer.product.name,
  ssh_key_names: ["laptop"],
  file_system_mounts: [{ mount_point: "/data/models", file_system_id: fileSystem.id }],
  quantity: 1,
  name: "training",
  hostname: "training",
  image: { family: sampleImage.family },
  tags: [{ key: "team", value: "vision" }],
};
