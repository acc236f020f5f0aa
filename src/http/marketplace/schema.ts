// Variant M: its shapes. Source: specification, "Resources and their fields" and "Endpoints, variant M".

import { type Static, Type } from "typebox";
import { envVarLimits } from "../../rules/env-vars.ts";
import * as limit from "../api/documented-limits.ts";
import { InstanceIds, InstanceName, Names, Region, RegionName } from "../api/schema.ts";
import { wordsIn } from "../api/status-labels.ts";
import type { LaunchMap } from "../launching/fields.ts";
import { listWords, operationWords } from "./status-labels.ts";

const Specs = Type.Object(
  {
    vcpu_count: Type.Integer({ examples: [30] }),
    memory_gib: Type.Integer({ examples: [200] }),
    storage_gb: Type.Integer({ examples: [1400] }),
  },
  { title: "Specs" },
);

const product = {
  name: Type.String({ examples: ["gpu_1x_h100_pcie"] }),
  description: Type.String({ examples: ["1x H100 (80 GB PCIe)"] }),
  price_cents_per_hour: Type.Integer({ examples: [249] }),
};

const InstanceType = Type.Object({ ...product, specs: Specs }, { title: "InstanceType" });

export const InstanceTypes = Type.Object(
  {
    data: Type.Record(
      Type.String(),
      Type.Object({
        instance_type: InstanceType,
        regions_with_capacity_available: Type.Array(Region),
        capacity_available: Type.Integer({
          description: "Number of instances of this type that fit now, in all regions.",
        }),
      }),
      { description: "Keyed by the name of the instance type." },
    ),
  },
  { title: "InstanceTypes" },
);

const instance = {
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  ip: Type.String({ description: "Empty until the instance has an address." }),
  ssh_key_names: Type.Array(Type.String()),
  file_system_names: Type.Array(Type.String()),
  region: Region,
};

const listWord = Type.Enum(wordsIn(listWords), { title: "InstanceStatus" });

export const ListedInstance = Type.Object(
  {
    ...instance,
    status: listWord,
    instance_type: Type.Object({
      ...product,
      vcpu: Type.Integer(),
      ram: Type.Integer({ description: "GiB." }),
      storage: Type.Integer({ description: "GB." }),
    }),
    jupyter_token: Type.String({ description: "Empty if the image has no Jupyter." }),
    jupyter_url: Type.String({ description: "Also empty while the instance has no address." }),
  },
  { title: "ListedInstance" },
);

const detailed = {
  ...instance,
  instance_type: InstanceType,
  jupyter_token: Type.String({ description: "Always empty here." }),
  jupyter_url: Type.String({ description: "Always empty here." }),
};

export const ReadInstance = Type.Object({ ...detailed, status: listWord }, { title: "Instance" });
export const ChangedInstance = Type.Object(
  { ...detailed, status: Type.Enum(wordsIn(operationWords)) },
  { title: "ChangedInstance" },
);

export const Launch = Type.Object(
  {
    instance_type_name: Type.String({
      ...limit.name,
      description: "The name of an instance type.",
      examples: ["gpu_1x_h100_pcie"],
    }),
    region_name: RegionName,
    ssh_key_names: Names(limit.keyName, "Names of SSH keys; may be empty."),
    quantity: Type.Integer({
      ...limit.quantity,
      description: "Number of instances; all or none are launched.",
      examples: [1],
    }),
    file_system_names: Type.Optional(
      Names(limit.fileSystemName, "File systems in the same region, mounted at /mnt/<name>."),
    ),
    name: Type.Optional(InstanceName),
    os_image_name: Type.Optional(Type.String({ ...limit.name, description: "Default: the provider's default image." })),
    env_vars: Type.Optional(
      // The pattern also matches keys with line breaks, which would not be checked otherwise.
      Type.Record(Type.String({ pattern: "^" }), Type.String({ ...limit.envVarValue }), {
        ...limit.envVarNames,
        maxProperties: envVarLimits.maxEntries,
        description:
          "Written to the file .env in the login user's home directory at every boot. At most 64 entries; keys match " +
          "^[A-Za-z_][A-Za-z0-9_]{0,63}$ and are not reserved; a value has at most 4 KiB, all keys and values 16 KiB.",
      }),
    ),
  },
  { title: "Launch" },
);

export const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    instance_type_name: "instanceType",
    region_name: "region",
    ssh_key_names: "sshKeyNames",
    quantity: "quantity",
    file_system_names: "fileSystemNames",
    name: "name",
    os_image_name: { as: "image", from: (name) => ({ name }) },
    env_vars: "envVars",
  },
};

export const InstanceId = Type.Object({ uuid: Type.String({ ...limit.uuid, description: "The instance's UUID." }) });
export const KeyId = Type.Object({ uuid: Type.String({ ...limit.uuid, description: "The SSH key's UUID." }) });
export const TerminateInstances = Type.Object({ instance_ids: InstanceIds }, { title: "TerminateInstances" });
export const ChangeInstances = Type.Object({ instance_uuids: InstanceIds }, { title: "ChangeInstances" });

export const AddKey = Type.Object(
  {
    name: Type.String({
      ...limit.keyName,
      description: "1 to 64 of letters, digits, space, `.`, `_`, `@`, `-`; unique in your account.",
      examples: ["laptop"],
    }),
    public_key: Type.String({
      ...limit.publicKey,
      description: "One line, as in an authorized_keys file without options.",
    }),
  },
  { title: "AddKey" },
);

export const Key = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    public_key: Type.String(),
  },
  { title: "Key" },
);
