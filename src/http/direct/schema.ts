// Variant D: the shapes of its instances and inventory. Source: specification, "Instance, variant D" and "Endpoints,
// variant D"; decisions, section 8 (paths, regions, units).

import { type Static, Type } from "typebox";
import { mostLoginPassword } from "../../rental/instances/login-password.ts";
import * as limit from "../api/documented-limits.ts";
import { InstanceIds, InstanceName, Names, Region, RegionName } from "../api/schema.ts";
import { wordsIn } from "../api/status-labels.ts";
import type { LaunchMap } from "../launching/fields.ts";
import { documented } from "../openapi/documented.ts";
import { operationWords, statusWords } from "./status-labels.ts";

const product = {
  name: Type.String({ examples: ["gpu_1x_h100_pcie"] }),
  description: Type.String({ examples: ["1x H100 (80 GB PCIe)"] }),
};

export const Inventory = Type.Object({
  gpu_inventory: Type.Record(
    Type.String(),
    Type.Object({
      instance_type: Type.Object({
        ...product,
        price_cents_per_hour: Type.Integer(),
        specs: Type.Object({
          vcpu_count: Type.Integer(),
          memory_gib: Type.Integer(),
          storage_gb: Type.Integer(),
        }),
      }),
      regions_with_capacity_available: Type.Array(Region),
      capacity_available: Type.Integer({
        description: "Number of instances of this type that fit now, in all regions.",
      }),
    }),
    { description: "Keyed by the name of the instance type." },
  ),
});

const instance = {
  uuid: Type.String({ format: "uuid" }),
  name: Type.String(),
  ip: Type.String({ description: "Empty until the instance has an address." }),
  username: Type.String({ description: "Login user." }),
  password: Type.Integer({
    format: "int64",
    minimum: 0,
    maximum: mostLoginPassword,
    description:
      "For password login, where the instance has no SSH keys: 15 digits. Otherwise 0, and for tokens without `write`.",
  }),
  status: Type.Enum(wordsIn(statusWords), { title: "InstanceStatus" }),
  os_booted: Type.Integer({ description: "1 when the operating system is up." }),
  command_startup: Type.String({ description: "Run once, at first boot. May be empty." }),
  created: Type.String({ format: "date-time", examples: ["2026-03-01T12:00:00.000Z"] }),
  active: Type.Integer({ description: "0 when the instance is stopped or terminated." }),
  image: Type.Object(
    { id: Type.Integer(), name: Type.String(), description: Type.String() },
    { title: "InstanceImage" },
  ),
  region: Region,
};

const specs = {
  ...product,
  gpu_count: Type.Integer(),
  vcpu: Type.Integer(),
  ram: Type.Integer({ description: "GiB." }),
  storage: Type.Integer({ description: "GB." }),
};

const dollars6 = "^[0-9]+\\.[0-9]{6}$";

export const ListedInstance = Type.Object(
  {
    ...instance,
    product: Type.Object({
      ...specs,
      price_hr: Type.Number({ description: "List price in dollars per hour." }),
      final_price_hr: Type.Number({ description: "After the coupon." }),
    }),
  },
  { title: "ListedInstance" },
);

export const ReadInstance = Type.Object(
  {
    ...instance,
    product: Type.Object({
      ...specs,
      price_hr: Type.String({ pattern: dollars6, description: "List price in dollars per hour." }),
      final_price_hr: Type.String({ pattern: dollars6, description: "After the coupon." }),
    }),
  },
  { title: "Instance" },
);

export const InstanceList = Type.Object({ runningInstances: Type.Array(ListedInstance) });

export const InstanceRead = Type.Object({
  runningInstance: ReadInstance,
  runningInstances: Type.Array(ReadInstance, { minItems: 1, maxItems: 1 }),
});

const inOperation = {
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  ip: Type.String(),
  status: Type.Enum(wordsIn(operationWords), { title: "OperationStatus" }),
  ssh_key_names: Type.Array(Type.String()),
  file_system_names: Type.Array(Type.String()),
  region: Region,
  jupyter_token: Type.String({ description: "Always empty." }),
  jupyter_url: Type.String({ description: "Always empty." }),
};

export const RestartedInstance = Type.Object(
  {
    ...inOperation,
    instance_type: Type.Object({
      ...product,
      price_cents_per_hour: Type.Integer(),
      specs: Type.Object({ vcpus: Type.Integer(), memory_gib: Type.Integer(), storage_gb: Type.Integer() }),
    }),
  },
  { title: "RestartedInstance" },
);

export const TerminatedInstance = Type.Object(
  { ...inOperation, instance_type: Type.Object(product, { title: "TerminatedInstanceType" }) },
  { title: "TerminatedInstance" },
);

export const Launch = Type.Object({
  productName: Type.String({
    ...limit.name,
    description: "The name of an instance type.",
    examples: ["gpu_1x_h100_pcie"],
  }),
  regionName: RegionName,
  imageId: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "Default: the provider's default image." }),
  ),
  instanceName: Type.Optional(InstanceName),
  coupon: Type.Optional(
    Type.String({ ...limit.coupon, description: "A coupon that cannot be used rejects the launch." }),
  ),
  command: Type.Optional(Type.String({ ...limit.command, description: "Run once, at first boot, as root." })),
  sshKeys: Type.Optional(
    Names(
      limit.keyNameOrText,
      "SSH keys by name, or by the text of a registered key. Without keys, the instance has a password.",
    ),
  ),
  sshKey: Type.Optional(
    Type.Union([Type.String(), Names(limit.keyNameOrText, "Several instances.")], {
      // The document describes what most clients send, without the union, which old generators cannot express.
      ...documented({ type: "string", ...limit.keyNameOrText.documented }),
      description: "Another SSH key, by name or text. A list is accepted too.",
    }),
  ),
});

export const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    productName: "instanceType",
    regionName: "region",
    imageId: { as: "image", from: (number) => ({ number }) },
    instanceName: "name",
    coupon: "coupon",
    command: "command",
    sshKeys: "sshKeyNames",
    sshKey: { as: "sshKeyNames", from: (keys) => [keys].flat() },
  },
  always: { sshKeysByText: true, passwordWithoutKeys: true },
};

export const InstanceId = Type.Object({ uuid: Type.String({ ...limit.uuid, description: "The instance's UUID." }) });
export const InstanceUuids = Type.Object({ instanceUuids: InstanceIds }, { title: "InstanceUuids" });

export const Images = Type.Object({
  images: Type.Array(
    Type.Object({
      vm_image_id: Type.Integer(),
      vm_image_name: Type.String(),
      vm_image_description: Type.String(),
    }),
  ),
});
