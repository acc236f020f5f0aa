// Schemas that several interfaces share.

import { type Static, Type } from "typebox";
import type * as fileSystems from "../../rules/mount-points.ts";
import { tagBounds } from "../../rules/tag-rules.ts";
import { maxUserDataBytes } from "../../rules/user-data.ts";
import * as limit from "./documented-limits.ts";

export const Region = Type.Object(
  {
    name: Type.String({ examples: ["us-east-1"] }),
    description: Type.String({ examples: ["Ashburn, Virginia"] }),
  },
  { title: "Region" },
);

/** Instance identifiers in a body. */
export const InstanceIds = Type.Array(Type.String({ ...limit.uuid }), {
  minItems: 1,
  maxItems: 1000,
  description: "UUIDs, with or without dashes, case-insensitive. Duplicates count once.",
  examples: [["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"]],
});

/** Names in a body, of SSH keys or file systems. `each`: the documented limits of one. */
export const Names = (each: object, description: string) =>
  Type.Array(Type.String({ ...each }), { maxItems: 100, description });

export const InstanceName = Type.String({
  ...limit.instanceName,
  description: "1 to 64 characters, not unique. Default: the instance type's name and 8 hexadecimal digits.",
  examples: ["training"],
});

export const RegionName = Type.String({
  ...limit.name,
  description: "`any` for the best region with capacity, or the name of a region.",
  examples: ["any"],
});

/** A file system of an instance, and where it is mounted. */
export const Mount = Type.Object(
  {
    mount_point: Type.String({
      ...limit.mountPoint,
      description:
        "An absolute path of letters, digits, `.`, `_` and `-`, up to 254 characters, outside of the system's directories " +
        "and of the mount points of the other file systems.",
      examples: ["/data/models"],
    }),
    file_system_id: Type.String({
      ...limit.uuid,
      description: "The id of a file system in the same region.",
      examples: ["0198c5a4-33cc-7dd4-9ee5-ff6677889900"],
    }),
  },
  { title: "FileSystemMount" },
);

/** Mounts in the body of a launch. */
export const Mounts = Type.Array(Mount, {
  maxItems: 100,
  description:
    "File systems and their mount points. A file system that is also listed by name is mounted here. Default: none.",
});

/** A mount in the rental's form. */
export function mountFrom({ file_system_id, mount_point }: Static<typeof Mount>): fileSystems.Mount {
  return { fileSystemId: file_system_id, mountPoint: mount_point };
}

/** A tag, set by the customer. */
export const Tag = Type.Object(
  {
    key: Type.String({
      ...limit.tagKey,
      description: `1 to ${tagBounds.key} characters without \`=\`, \`,\` and \`\\\`; each once.`,
      examples: ["team"],
    }),
    value: Type.String({
      ...limit.tagValue,
      description: `Up to ${tagBounds.value} characters.`,
      examples: ["vision"],
    }),
  },
  { title: "Tag" },
);

export const UserData = Type.String({
  ...limit.userData,
  description:
    `User data for cloud-init, in any of its formats, as plain text of at most ${maxUserDataBytes} bytes. It is never ` +
    "shown again. It cannot override what Lessor sets up (login, keys, env, address, file systems).",
  examples: ["#cloud-config\npackages: [git]\n"],
});

/** How far a body with user data may exceed the limit: quotes and line breaks take two bytes in JSON. */
export const userDataInJson = 2 * maxUserDataBytes;

/** Values that examples share. */
export const sample = {
  id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d",
  secondId: "0198c5a2-5c53-7d1a-8f3e-5b7c9d1e2f30",
  keyId: "0198c5a0-11aa-7bb2-9cc3-dd44ee55ff66",
  publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMjV5MGT0H3ZpPUlWJ8mW3N8fVYd0mUjcbAhnXk0C0dl ada@example.com",
  region: { name: "us-east-1", description: "Ashburn, Virginia" },
};
