// The lambda edition: its shapes. Source: decisions, The lambda edition; specification, "Endpoints, variant R". Numbers
// are declared as integers, because clients of typed languages read them as such.

import { type Static, type TProperties, Type } from "typebox";
import { architectures } from "../../rental/catalog/architecture.ts";
import { invalid } from "../../rental/errors.ts";
import type { LaunchOrder } from "../../rental/launching/order.ts";
import { tagBounds } from "../../rules/tag-rules.ts";
import * as limit from "../api/documented-limits.ts";
import { pageQuery } from "../api/paging.ts";
import {
  InstanceIds,
  InstanceName,
  Mount,
  Mounts,
  mountFrom,
  Names,
  Region,
  RegionName,
  Tag,
  UserData,
} from "../api/schema.ts";
import type { LaunchMap } from "../launching/fields.ts";
import * as reference from "../reference/schema.ts";
import { AddedKey, AddKey, Id, Instances, Key } from "../reference/schema.ts";
import { Action, actionNames } from "./actions.ts";
import { RulesetIds } from "./firewall-schema.ts";
import { statuses } from "./status-labels.ts";
import { mountDirectory } from "./view.ts";

const InstanceType = Type.Object(
  {
    name: Type.String({ examples: ["gpu_1x_h100_pcie"] }),
    description: Type.String({ examples: ["1x H100 (80 GB PCIe)"] }),
    gpu_description: Type.String({ examples: ["H100 (80 GB PCIe)"] }),
    architecture: Type.Enum([...architectures], { title: "Architecture" }),
    price_cents_per_hour: Type.Integer({ examples: [249] }),
    specs: Type.Object({
      vcpus: Type.Integer({ examples: [26] }),
      memory_gib: Type.Integer({ examples: [200] }),
      storage_gib: Type.Integer({ description: "The storage in GB as GiB, rounded down.", examples: [931] }),
      gpus: Type.Integer({ examples: [1] }),
    }),
  },
  { title: "InstanceType" },
);

export const InstanceTypes = Type.Object({
  data: Type.Record(
    Type.String(),
    Type.Object({ instance_type: InstanceType, regions_with_capacity_available: Type.Array(Region) }),
    { description: "Keyed by the name of the instance type." },
  ),
});

export const Regions = Type.Object({ data: Type.Array(Region) });

/** One for each image and region. */
export const Image = Type.Object({
  id: Type.String({ format: "uuid", description: "The image's ID in this region. Stable." }),
  created_time: Type.String({ format: "date-time" }),
  updated_time: Type.String({ format: "date-time" }),
  name: Type.String(),
  description: Type.String(),
  family: Type.String(),
  version: Type.String({ description: "The operator's description; empty if there is none." }),
  architecture: Type.Enum([...architectures], { title: "Architecture" }),
  region: Region,
});

const Tags = (description: string) =>
  Type.Array(Tag, { maxItems: tagBounds.tags, description: `${description} At most ${tagBounds.tags}.` });

export const Instance = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    ip: Type.Optional(Type.String({ description: "Absent until the instance has an address." })),
    private_ip: Type.Optional(Type.String({ description: "The same: an instance has one address." })),
    status: Type.Enum([...statuses], {
      title: "InstanceStatus",
      description: "`preempted`: a spot instance of the control interface that was evicted. None is launched here.",
    }),
    ssh_key_names: Type.Array(Type.String()),
    file_system_names: Type.Array(Type.String()),
    file_system_mounts: Type.Array(Mount, { description: "Their mount points." }),
    region: Region,
    instance_type: InstanceType,
    hostname: Type.String(),
    jupyter_token: Type.String({ description: "Empty if the image has no Jupyter." }),
    jupyter_url: Type.String({ description: "Empty if the image has no Jupyter." }),
    is_reserved: Type.Boolean({ description: "Always false: every instance is on demand." }),
    tags: Type.Array(Tag, { description: "Your tags, in the order given." }),
    firewall_rulesets: Type.Array(Type.Object({ id: Type.String({ format: "uuid" }) }), {
      description: "The rulesets it was launched with. The account's rules apply in addition.",
    }),
    actions: Type.Object(Object.fromEntries(actionNames.map((name) => [name, Action]))),
  },
  { title: "Instance" },
);

/** Instances and offers for a token pinned to 1.0.3: as in R. */
export const PinnedInstance = reference.Instance;
export const PinnedInstanceTypes = reference.InstanceTypes;

/** An unknown filter is an error: if it were ignored, a client would act on everything. */
export const knownOnly = <P extends TProperties>(parameters: P) =>
  Type.Object(parameters, { additionalProperties: false });

export const instanceListQuery = knownOnly({
  ...pageQuery,
  status: Type.Optional(
    Type.Enum([...statuses], { title: "InstanceStatus", description: "Only instances with this status." }),
  ),
  region: Type.Optional(Type.String({ ...limit.name, description: "Only instances in the region of this name." })),
  tags: Type.Optional(
    Type.String({
      ...limit.tagFilter,
      description:
        "Only instances that have all of these tags: `key=value` or `key` (with any value), separated by commas. " +
        "In a value, write a comma as `\\,` and a backslash as `\\\\`.",
      examples: ["team=vision,spot"],
    }),
  ),
});

const howMany = (also: string) =>
  Type.Optional(
    Type.Integer({
      ...limit.quantity,
      description: `Number of instances; all or none are launched. Default: 1. ${also}`,
      examples: [1],
    }),
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
    Type.Union([
      Names(limit.fileSystemName, "File systems in the same region, mounted at /lambda/nfs/<name>. Default: none."),
      Type.Null(),
    ]),
  ),
  file_system_mounts: Type.Optional(Type.Union([Mounts, Type.Null()])),
  user_data: Type.Optional(Type.Union([UserData, Type.Null()])),
  firewall_rulesets: Type.Optional(Type.Union([RulesetIds, Type.Null()])),
  quantity: howMany("`Quantity` is an alias."),
  Quantity: howMany("The same as `quantity`."),
  name: Type.Optional(Type.Union([InstanceName, Type.Null()])),
  hostname: Type.Optional(
    Type.Union([
      Type.String({
        ...limit.hostname,
        description:
          "The host name of the guest, also shown as `hostname`: 1 to 63 lower-case letters, digits and hyphens, with no " +
          "hyphen at either end. With a quantity above 1, `-1`, `-2` and so on are added, in the order of `instance_ids`, " +
          "and count toward the length. Not unique beyond this launch. Default: derived from the name, and unique.",
        examples: ["training"],
      }),
      Type.Null(),
    ]),
  ),
  image: Type.Optional(
    Type.Union([
      Type.Object(
        {
          id: Type.Optional(
            Type.String({ ...limit.uuid, description: "The id of an image in the region of the launch." }),
          ),
          family: Type.Optional(
            Type.String({
              ...limit.name,
              description: "The newest image of the family that runs on the instance type.",
            }),
          ),
        },
        { description: "By ID or by family, not both. Default: the operator's default image." },
      ),
      Type.Null(),
    ]),
  ),
  tags: Type.Optional(Type.Union([Tags("Your tags of the instances. Default: none."), Type.Null()])),
});

export const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    region_name: "region",
    instance_type_name: "instanceType",
    ssh_key_names: "sshKeyNames",
    file_system_names: "fileSystemNames",
    file_system_mounts: { as: "fileSystemMounts", from: (mounts) => mounts?.map(mountFrom) },
    user_data: "userData",
    firewall_rulesets: { as: "firewallRulesetIds", from: (rulesets) => rulesets?.map(({ id }) => id) },
    quantity: "quantity",
    Quantity: "quantity",
    // Empty: the default name, as in a rename.
    name: { as: "name", from: (name) => name || undefined },
    hostname: "hostname",
    image: {
      as: "image",
      from: imageFrom,
      within: (image) => (image?.id === undefined ? image?.family && "family" : "id"),
    },
    tags: "tags",
  },
  // Source: decisions, section 10; what clients of the family expect of a file system.
  always: { fileSystemUse: { directory: mountDirectory, shared: true } },
};

/** Throws RentalError invalid-parameters if both forms are given, or none. */
function imageFrom(image: Static<typeof Launch>["image"] | null): LaunchOrder["image"] {
  const { id, family } = image ?? {};
  if (id !== undefined && family === undefined) return { id };
  if (family !== undefined && id === undefined) return { family };
  if (image == null) return undefined;
  throw invalid("image", "Use either the ID of an image or a family.");
}

export const FileSystem = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String({ examples: ["models"] }),
    mount_point: Type.String({
      description: "The default mount point.",
      examples: ["/lambda/nfs/models"],
    }),
    created: Type.String({ format: "date-time" }),
    created_by: Type.Object(
      {
        id: Type.String({ format: "uuid" }),
        email: Type.String({ description: "The account's name: accounts have no address." }),
        status: Type.Enum(["active", "deactivated"]),
      },
      { title: "FileSystemCreator", description: "Your account." },
    ),
    is_in_use: Type.Boolean({ description: "Whether it is attached to an instance. Then it cannot be deleted." }),
    region: Region,
    bytes_used: Type.Integer({
      format: "int64",
      description: "Used storage, as last measured by the engine; 0 until then.",
    }),
  },
  { title: "FileSystem" },
);

export const CreateFileSystem = Type.Object(
  {
    name: Type.String({
      ...limit.fileSystemName,
      description:
        "1 to 64 of letters, digits, `.`, `_` and `-`, not starting with `.` or `-`; unique in your account.",
      examples: ["models"],
    }),
    region: Type.String({
      ...limit.name,
      description: "Name of the region. Only instances in that region can attach it.",
      examples: ["us-east-1"],
    }),
  },
  { title: "CreateFileSystem" },
);
export const FileSystemResponse = Type.Object({ data: FileSystem }, { title: "FileSystemResponse" });
export const FileSystemList = Type.Object({ data: Type.Array(FileSystem) }, { title: "FileSystemList" });
export const DeletedFileSystems = Type.Object(
  { data: Type.Object({ deleted_ids: Type.Array(Type.String({ format: "uuid" })) }) },
  { title: "DeletedFileSystems" },
);

/** As in R. */
export { AddedKey, AddKey, Id, Instances, Key };
/** For a body that may list no instances, and then does nothing. */
export const AnyInstances = Type.Object({
  instance_ids: Type.Array(Type.String({ ...limit.uuid }), { ...InstanceIds, minItems: 0 }),
});
export const Change = Type.Object({
  name: Type.Optional(
    Type.Union([
      Type.String({
        ...limit.instanceNameOrNone,
        description: "Up to 64 characters; empty: the default name.",
      }),
      Type.Null(),
    ]),
  ),
  tags: Type.Optional(
    Type.Union([Tags("Replaces all tags; an empty list removes them. Omitted: unchanged."), Type.Null()]),
  ),
});

/** The response of a deletion. */
export const Nothing = Type.Object({ data: Type.Object({}) }, { title: "Nothing" });
