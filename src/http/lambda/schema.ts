// The lambda edition: its shapes. Source: decisions, The lambda edition; specification, "Endpoints, variant R". Numbers are
// whole and are declared so: clients of typed languages read them as integers.

import { Type } from "typebox";
import { pageQuery } from "../paging.ts";
import { AddedKey, AddKey, Id, Instances, Key } from "../reference/schema.ts";
import { InstanceIds, InstanceName, Names, Region, RegionName } from "../schema.ts";
import { Action, actionNames } from "./actions.ts";
import { statuses } from "./words.ts";

const InstanceType = Type.Object({
  name: Type.String({ examples: ["gpu_1x_h100_pcie"] }),
  description: Type.String({ examples: ["1x H100 (80 GB PCIe)"] }),
  gpu_description: Type.String({ examples: ["H100 (80 GB PCIe)"] }),
  price_cents_per_hour: Type.Integer({ examples: [249] }),
  specs: Type.Object({
    vcpus: Type.Integer({ examples: [26] }),
    memory_gib: Type.Integer({ examples: [200] }),
    storage_gib: Type.Integer({ examples: [1024] }),
    gpus: Type.Integer({ examples: [1] }),
  }),
});

export const InstanceTypes = Type.Object({
  data: Type.Record(
    Type.String(),
    Type.Object({ instance_type: InstanceType, regions_with_capacity_available: Type.Array(Region) }),
    { description: "Keyed by the name of the instance type." },
  ),
});

export const Regions = Type.Object({ data: Type.Array(Region) });

export const Instance = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  ip: Type.Optional(Type.String({ description: "Absent until the instance has an address." })),
  private_ip: Type.Optional(Type.String({ description: "The same: an instance has one address." })),
  status: Type.Enum([...statuses], { description: "`preempted` is never said: this service takes no machine back." }),
  ssh_key_names: Type.Array(Type.String()),
  file_system_names: Type.Array(Type.String()),
  region: Region,
  instance_type: InstanceType,
  hostname: Type.String(),
  jupyter_token: Type.String({ description: "Empty where the image provides no Jupyter." }),
  jupyter_url: Type.String({ description: "Empty where the image provides no Jupyter." }),
  is_reserved: Type.Boolean({ description: "Always false: every instance is on demand." }),
  actions: Type.Object(Object.fromEntries(actionNames.map((name) => [name, Action]))),
});

export const instanceListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(Type.Enum([...statuses], { description: "Only instances with this status." })),
  region: Type.Optional(Type.String({ description: "Only instances in the region of this name." })),
});

const howMany = (also: string) =>
  Type.Optional(
    Type.Integer({
      description: `How many instances: all of them are launched, or none. 1 by default. ${also}`,
      examples: [1],
    }),
  );

export const Launch = Type.Object({
  region_name: RegionName,
  instance_type_name: Type.String({ description: "The name of an instance type.", examples: ["gpu_1x_h100_pcie"] }),
  ssh_key_names: Type.Optional(Names("Names of SSH keys. None by default.")),
  file_system_names: Type.Optional(
    Type.Union([Names("File systems in the same region, mounted at /mnt/<name>. None by default."), Type.Null()]),
  ),
  quantity: howMany("`Quantity` is the same."),
  Quantity: howMany("The same as `quantity`."),
  name: Type.Optional(Type.Union([InstanceName, Type.Null()])),
});

/** As in R. */
export { AddedKey, AddKey, Id, Instances, Key };
/** For what may name nothing, and then does nothing. */
export const AnyInstances = Type.Object({ instance_ids: Type.Array(Type.String(), { ...InstanceIds, minItems: 0 }) });
export const Change = Type.Object({
  name: Type.Optional(
    Type.Union([
      Type.String({ description: "Up to 64 characters; empty: the name it would have had without one." }),
      Type.Null(),
    ]),
  ),
});

/** The answer to what takes something away. */
export const Nothing = Type.Object({ data: Type.Object({}) });
