// The schema of `openstack:` in lessor.yaml. Rules that involve several values, or the file of clouds, are in
// settings.ts and clouds-file.ts. Used by settings.ts and the engine's kind.

import { type Static, Type } from "typebox";
import { choice, freeMap, group, integer, seconds, textLike } from "../../../settings/schema-parts.ts";
import { catalogueName, commonSettings, engineName, gpuModel, optional } from "../../settings/common-schema.ts";
import { NotificationsSchema } from "./notifications.ts";

/** Names of a cloud's objects are sent in queries and in JSON, so they can be almost anything. */
const objectName = (what: string) =>
  textLike({ pattern: "^[^\\x00-\\x1f\\x7f]{1,255}$", description: `the name${what}, 1 to 255 characters` });

const resourceClass = {
  pattern: "^(CUSTOM_[A-Z0-9_]{1,248}|VGPU|PGPU)$",
  description: "a resource class of Placement such as CUSTOM_GPU_H200",
};

const Gpu = group({
  ...gpuModel,
  trait: optional(textLike({ pattern: "^[A-Z0-9_]{1,255}$", description: "a trait such as CUSTOM_GPU_H200_SXM" })),
  alias: optional(
    textLike({ pattern: "^[A-Za-z0-9_.-]{1,255}$", description: "the name of a PCI alias in nova.conf, such as h200" }),
  ),
});

const amount = (most: number) =>
  Type.Integer({ minimum: 1, maximum: most, description: `an integer from 1 to ${most}` });

const Pool = group({
  gpu: optional(textLike(resourceClass)),
  count: integer(1, 1_000_000),
  vcpus: amount(100_000_000),
  memory_gib: amount(1_000_000_000),
  storage_gb: amount(1_000_000_000),
});

const Region = group({
  cloud_region: optional(objectName(" of a region in the cloud")),
  network: objectName(" or id of a network"),
  floating_network: optional(objectName(" or id of an external network")),
  availability_zone: optional(
    textLike({
      pattern: "^[^\\x00-\\x1f\\x7f:]{1,255}$",
      description: 'the name of an availability zone, without ":"',
    }),
  ),
  aggregate: optional(objectName(" of a host aggregate")),
  volume_type: optional(objectName(" of a volume type")),
  notifications: optional(NotificationsSchema),
  pools: optional(
    Type.Array(Pool, { minItems: 1, maxItems: 100, description: "a list of 1 to 100 pools, each a map" }),
  ),
});

const Image = group({
  id: optional(
    textLike({
      pattern: "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$",
      description: "the id of an image, a UUID in lower case",
    }),
  ),
  name: optional(objectName(" of an image")),
});

// Placement knows what a host has and how much of it is for rent; GPUs are in `gpus`.
const { gpu_models: _models, cpu_ratio: _ratio, ...common } = commonSettings;

export const OpenStackCloudSchema = group({
  name: engineName,
  clouds_file: optional(textLike({ pattern: "^[^\\x00]+$", description: "the path of a file" })),
  cloud: objectName(" of an entry in clouds_file"),
  regions: freeMap(catalogueName, Region, "a map from a region's name to where it is in the cloud"),
  gpus: optional(freeMap(resourceClass, Gpu, "a map from a resource class to model and memory_gib")),
  flavors: choice(["created", "mapped"]),
  images: optional(freeMap(catalogueName, Image, "a map from an image's name in the catalog to id or name")),
  host_prefix: optional(
    textLike({ pattern: "^[A-Za-z0-9._-]{0,40}$", description: 'at most 40 letters, digits, ".", "_" and "-"' }),
  ),
  poll_seconds: seconds(1, 3600),
  ...common,
});

/** `openstack:` as a whole. */
export const OpenStackSchema = Type.Array(OpenStackCloudSchema, { description: "a list of clouds, each a map" });

/** An item of it that passed the schema. */
export type OpenStackFileSettings = Static<typeof OpenStackCloudSchema>;
