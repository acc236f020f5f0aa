// A launch order in the rental's terms, and the rules it must satisfy before anything is looked up. Each interface
// builds it from its body by a map of its fields (http/launching/fields.ts); `fields` has the request's names, for
// errors.

import { checkEnvVars } from "../../rules/env-vars.ts";
import type { IdleRule } from "../../rules/idle.ts";
import { checkMountPoint, type Mount } from "../../rules/mount-points.ts";
import { checkHostname, checkInstanceName } from "../../rules/names.ts";
import { problemsOfTags, type Tag } from "../../rules/tag-rules.ts";
import { checkUserData } from "../../rules/user-data.ts";
import type { AskedImage } from "../catalog/image-choice.ts";
import { anyRegion } from "../catalog/region-store.ts";
import { type FieldProblem, RentalError } from "../errors.ts";
import type { HostSelector } from "../hosts/labels.ts";
import type { RentalLimits } from "../service.ts";
import { parseUuid } from "../uuid.ts";

export interface LaunchOrder {
  readonly instanceType: string;
  /** A region's name, or "any". */
  readonly region: string;
  readonly quantity: number;
  /** Operators: only on hosts with these labels. Default: on any. */
  readonly hostSelector?: HostSelector | undefined;
  readonly sshKeyNames: readonly string[];
  /** Variant D: texts of registered public keys count as names. */
  readonly sshKeysByText?: boolean;
  /** Mounted at default mount points, unless they are in `fileSystemMounts`. */
  readonly fileSystemNames: readonly string[];
  /**
   * How the interface uses file systems, if other than M, R and D: mounted in /mnt, and rejected if attached to another
   * instance. Source: decisions, Launch and section 10.
   */
  readonly fileSystemUse?: FileSystemUse;
  /** File systems with mount points of their own. */
  readonly fileSystemMounts?: readonly Mount[];
  /** Firewall rulesets, by id as the client wrote it. Default: none. */
  readonly firewallRulesetIds?: readonly string[] | undefined;
  readonly name?: string | undefined;
  /** Whether several instances get numbered names (names.ts). Default: they share the name. */
  readonly numberNames?: boolean;
  /** Of one instance; several get it with a number each. Default: made from name and id. */
  readonly hostname?: string | undefined;
  /** Default: none. */
  readonly tags?: readonly Tag[] | undefined;
  /** Default: the operator's default image. */
  readonly image?: AskedImage;
  readonly envVars: Readonly<Record<string, string>>;
  readonly coupon?: string | undefined;
  readonly command?: string | undefined;
  /** Secret. For cloud-init in the guest, in any of its formats. */
  readonly userData?: string | undefined;
  /** Without user data: that of another instance of the account, by the id of its row. */
  readonly userDataId?: string | undefined;
  /** Variant D: an instance without keys gets a password. */
  readonly passwordWithoutKeys: boolean;
  /** From the start of billing; null: unlimited; undefined: the account's maximum. */
  readonly maxLifetimeSeconds?: number | null | undefined;
  /** Null: none, also where another instance is copied. Default: none. */
  readonly idleRule?: IdleRule | null | undefined;
  /** Per instance, before a coupon: a higher price launches nothing. Default: no maximum. */
  readonly maxPriceCentsPerHour?: number | undefined;
  /** At the spot price, and evicted when others need what it holds. Default: false. */
  readonly spot?: boolean | undefined;
  /** As the client wrote it: the launch uses its slots. Default: none. */
  readonly reservationId?: string | undefined;
  readonly fields: LaunchFields;
}

/** How an interface uses file systems. */
export interface FileSystemUse {
  /** The parent of default mount points; undefined: /mnt. */
  readonly directory?: string;
  /** Whether instances can share them, if the storage allows it. */
  readonly shared: boolean;
}

/** What a request can set; the rest is set by the interface. */
export type OrderPart = Exclude<
  keyof LaunchOrder,
  "sshKeysByText" | "fileSystemUse" | "numberNames" | "userDataId" | "fields"
>;

export type LaunchFields = Readonly<Partial<Record<OrderPart, string>>>;

/**
 * The name of a part in errors. A part without a field in the interface can still be invalid by default, such as the
 * image: its own name is used then.
 */
export function fieldOf({ fields }: { readonly fields: LaunchFields }, part: OrderPart): string {
  return fields[part] ?? part;
}

/** A command is a short script; a whole program belongs in the image or on a file system. */
export const maxCommandBytes = 65_536;

/** Throws RentalError invalid-parameters naming every invalid field with its rule. */
export function checkOrder(order: LaunchOrder, limits: RentalLimits): void {
  const problems = [...problemsOf(order, limits)];
  if (problems.length === 0) return;
  const fields = problems.map(([field, message]): [string, FieldProblem] => [
    field,
    { code: "global/invalid-parameters", message },
  ]);
  throw new RentalError("invalid-parameters", { fields: Object.fromEntries(fields) });
}

/** Why this quantity cannot be launched; undefined: it can. */
export function checkQuantity(quantity: number, { maxQuantity }: RentalLimits): string | undefined {
  if (!Number.isInteger(quantity) || quantity < 1) return `Give a whole number from 1 to ${maxQuantity}.`;
  // Clients of the lambda family match this sentence (docs/reference/client-compatibility.md).
  if (quantity > maxQuantity) return `Requested too many instances. Give at most ${maxQuantity}.`;
  return undefined;
}

function* problemsOf(order: LaunchOrder, limits: RentalLimits): Iterable<[string, string]> {
  const field = (part: OrderPart) => fieldOf(order, part);
  const quantity = checkQuantity(order.quantity, limits);
  if (quantity !== undefined) yield [field("quantity"), quantity];
  const mounts = order.fileSystemMounts ?? [];
  if (order.quantity > 1 && order.fileSystemUse?.shared !== true && order.fileSystemNames.length + mounts.length > 0) {
    yield [
      field("quantity"),
      "A file system attaches to one instance only: launch one instance, or remove the file systems.",
    ];
  }
  const name =
    order.name === undefined
      ? undefined
      : checkInstanceName(order.name, order.numberNames === true ? order.quantity : 1);
  if (name !== undefined) yield [field("name"), name];
  const hostname = order.hostname === undefined ? undefined : checkHostname(order.hostname, order.quantity);
  if (hostname !== undefined) yield [field("hostname"), hostname];
  for (const [within, message] of problemsOfTags(order.tags ?? [])) {
    yield [`${field("tags")}${within === "" ? "" : `.${within}`}`, message];
  }
  if (order.command !== undefined && Buffer.byteLength(order.command) > maxCommandBytes) {
    yield [field("command"), `Give at most ${maxCommandBytes} bytes.`];
  }
  const userData = order.userData === undefined ? undefined : checkUserData(order.userData);
  if (userData !== undefined) yield [field("userData"), userData];
  yield* mountProblems(mounts, field("fileSystemMounts"));
  if (order.region === "") yield [field("region"), `Give "${anyRegion}" or the name of a region.`];
  for (const problem of checkEnvVars(order.envVars)) {
    yield [problem.key === undefined ? field("envVars") : `${field("envVars")}.${problem.key}`, problem.message];
  }
}

/** Whether mount points overlap is checked when all file systems of the launch are known (mounts.ts). */
function* mountProblems(mounts: readonly Mount[], field: string): Iterable<[string, string]> {
  const seen = new Set<string>();
  for (const [at, { fileSystemId, mountPoint }] of mounts.entries()) {
    const problem = checkMountPoint(mountPoint);
    if (problem !== undefined) yield [`${field}.${at}.mount_point`, problem];
    const id = parseUuid(fileSystemId) ?? fileSystemId;
    if (seen.has(id)) yield [`${field}.${at}.file_system_id`, "Each file system can be mounted only once."];
    seen.add(id);
  }
}
