// The file systems of a launch and their mount points. Used by plan.ts. Source: decisions, Launch and The lambda
// edition. A launch can name a file system and also give it a mount point: clients of the lambda family mean one file
// system at that mount point.

import type { Transaction } from "../../database/connect.ts";
import { defaultMountPoint, overlapping } from "../../rules/mount-points.ts";
import { invalid } from "../errors.ts";
import { type FileSystem, fileSystemsById, fileSystemsByName } from "../file-systems/file-systems.ts";
import type { Principal } from "../service.ts";
import { fieldOf, type LaunchOrder } from "./order.ts";

export interface MountedFileSystem extends FileSystem {
  readonly mountPoint: string;
  /** The request's name of its field. */
  readonly field: string;
}

/**
 * Named ones in order, then those with only a mount point. The order has passed `checkOrder`. Throws RentalError
 * unknown-name, or invalid-parameters if one would be mounted over another.
 */
export async function fileSystemsOf(
  tx: Transaction,
  principal: Principal,
  order: LaunchOrder,
): Promise<MountedFileSystem[]> {
  const { fileSystemMounts: mounts = [] } = order;
  const directory = order.fileSystemUse?.directory;
  const [namesField, mountsField] = [fieldOf(order, "fileSystemNames"), fieldOf(order, "fileSystemMounts")];
  const named = await fileSystemsByName(tx, principal, order.fileSystemNames, namesField);
  const ids = mounts.map(({ fileSystemId }) => fileSystemId);
  const idField = (id: string) => `${mountsField}.${ids.indexOf(id)}.file_system_id`;
  const withOwn = (await fileSystemsById(tx, principal, ids, idField)).map((one, at): MountedFileSystem => {
    const field = `${mountsField}.${at}`;
    return { ...one, mountPoint: mounts[at]?.mountPoint ?? defaultMountPoint(one.name, directory), field };
  });
  const own = new Map(withOwn.map((one) => [one.id, one]));
  const withDefault = named.map(
    (one) => own.get(one.id) ?? { ...one, mountPoint: defaultMountPoint(one.name, directory), field: namesField },
  );
  const all = [...new Map([...withDefault, ...withOwn].map((one) => [one.id, one])).values()];
  const clash = overlapping(all);
  if (clash !== undefined) throw inTheWay(...clash, mountsField);
  return all;
}

/** At least one of the two has its own mount point: names differ, and so do default mount points. */
function inTheWay(outer: MountedFileSystem, inner: MountedFileSystem, mountsField: string) {
  const { field } = inner.field.startsWith(mountsField) ? inner : outer;
  return invalid(
    `${field}.mount_point`,
    `File systems ${outer.name} and ${inner.name} would be mounted over each other, at ${outer.mountPoint} and ${inner.mountPoint}.`,
  );
}
