// Variant R 1.0.3: its shapes. Source: specification, "Resources and their fields" and "Endpoints, variant R".
// Its numbers are declared as `number`, as specified; what is sent is always whole.

import { type Static, Type } from "typebox";
import * as limit from "../api/documented-limits.ts";
import { InstanceIds, InstanceName, Names, Region, RegionName } from "../api/schema.ts";
import { wordsIn } from "../api/status-labels.ts";
import type { LaunchMap } from "../launching/fields.ts";
import { words } from "./status-labels.ts";

const specs = {
  vcpus: Type.Number({ examples: [26] }),
  memory_gib: Type.Number({ examples: [200] }),
  storage_gib: Type.Number({ description: "The storage in GB as GiB, rounded down.", examples: [931] }),
};

const product = {
  name: Type.String({ examples: ["gpu_1x_h100_pcie"] }),
  description: Type.String({ examples: ["1x H100 (80 GB PCIe)"] }),
  price_cents_per_hour: Type.Number({ examples: [249] }),
};

export const InstanceTypes = Type.Object({
  data: Type.Record(
    Type.String(),
    Type.Object({
      instance_type: Type.Object({ ...product, specs: Type.Object(specs) }),
      regions_with_capacity_available: Type.Array(Region),
    }),
    { description: "Keyed by the name of the instance type." },
  ),
});

export const Instance = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    ip: Type.String({ description: "Empty until the instance has an address.", default: "" }),
    status: Type.Enum(wordsIn(words), { title: "InstanceStatus" }),
    ssh_key_names: Type.Array(Type.String()),
    file_system_names: Type.Array(Type.String()),
    region: Region,
    instance_type: Type.Object({
      ...product,
      gpu_description: Type.String({ examples: ["H100 (80 GB PCIe)"] }),
      specs: Type.Object({ ...specs, gpus: Type.Number({ examples: [1] }) }),
    }),
    hostname: Type.String(),
  },
  { title: "Instance" },
);

export const Launch = Type.Object({
  region_name: RegionName,
  instance_type_name: Type.String({
    ...limit.name,
    description: "The name of an instance type.",
    examples: ["gpu_1x_h100_pcie"],
  }),
  ssh_key_names: Type.Optional(Names(limit.keyName, "Names of SSH keys. Default: none.")),
  file_system_names: Type.Optional(
    Names(limit.fileSystemName, "File systems in the same region, mounted at /mnt/<name>. Default: none."),
  ),
  quantity: Type.Optional(
    Type.Integer({
      ...limit.quantity,
      description: "Number of instances; all or none are launched. Default: 1.",
      examples: [1],
    }),
  ),
  name: Type.Optional(InstanceName),
});

export const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    region_name: "region",
    instance_type_name: "instanceType",
    ssh_key_names: "sshKeyNames",
    file_system_names: "fileSystemNames",
    quantity: "quantity",
    name: "name",
  },
};

export const Id = Type.Object({ id: Type.String({ ...limit.uuid, description: "Its UUID." }) });
export const Instances = Type.Object({ instance_ids: InstanceIds }, { title: "InstanceIds" });

export const AddKey = Type.Object({
  name: Type.String({
    ...limit.keyName,
    description: "1 to 64 of letters, digits, space, `.`, `_`, `@`, `-`; unique in your account.",
    examples: ["laptop"],
  }),
  public_key: Type.Optional(
    Type.String({
      ...limit.publicKey,
      description: "One line, as in an authorized_keys file. Without it a key pair is generated.",
    }),
  ),
});

const key = {
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  public_key: Type.String(),
};
export const Key = Type.Object(key, { title: "Key" });
export const AddedKey = Type.Object(
  {
    ...key,
    private_key: Type.Optional(
      Type.String({
        description: "OpenSSH format. Only for a generated pair, only in this response: store it securely.",
      }),
    ),
  },
  { title: "AddedKey" },
);
