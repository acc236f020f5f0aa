// Launching an instance again: the launch page, filled in from it. What the service does not show again (environment
// variables, user data) has to be entered again, and the page says so. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { defaultMountPoint } from "../../../src/rules/mount-points.ts";
import { idleChoiceOf } from "../instances/idle-choice.ts";
import { linesOf } from "../instances/tag-lines.ts";
import { emptyOrder, type Order } from "./order.ts";

const parameter = "again";

/** The launch page for the instance of this id. */
export const launchAgainPath = (id: string): string => `/launch?${parameter}=${encodeURIComponent(id)}`;

/** The id in the address of the launch page; undefined: it is a new launch. */
export const launchAgainId = (search: URLSearchParams): string | undefined => search.get(parameter) || undefined;

/** What still exists and can be chosen. */
export interface Existing {
  readonly keys: readonly { readonly name: string }[];
  readonly images: readonly { readonly name: string }[];
  readonly fileSystems: readonly Pick<Shape<"FileSystem">, "id" | "name" | "attached_to" | "multi_attach">[];
}

/** The order for another one like it. */
export function orderFrom(instance: Shape<"Instance">, { keys, images, fileSystems }: Existing): Order {
  return {
    ...emptyOrder,
    instanceType: instance.instance_type.name,
    region: instance.region.name,
    // Without one: the default.
    image: images.find(({ name }) => name === instance.image.name)?.name,
    sshKeys: instance.ssh_key_names.filter((name) => keys.some((key) => key.name === name)),
    name: isGiven(instance) ? instance.name : "",
    coupon: instance.coupon?.code ?? "",
    command: instance.command ?? "",
    tags: linesOf(instance.tags),
    firewallRulesets: instance.firewall_ruleset_ids,
    fileSystems: instance.file_system_mounts.flatMap(({ file_system_id: id, mount_point }) => {
      const found = fileSystems.find((one) => one.id === id);
      // Without what only one instance can have.
      if (found === undefined || (found.attached_to !== null && !found.multi_attach)) return [];
      const { name } = found;
      return [{ id, name, mountPoint: mount_point === defaultMountPoint(name) ? "" : mount_point }];
    }),
    lifetime: instance.max_lifetime_seconds === null ? "" : String(instance.max_lifetime_seconds / 3600),
    password: instance.login === "password",
    idle: idleChoiceOf(instance.idle_rule),
    spot: instance.spot,
  };
}

/** What the order lacks because the service does not show it again, named as on the page. */
export function notShown(instance: Shape<"Instance">): readonly string[] {
  return [
    ...(instance.has_env_vars ? ["environment variables"] : []),
    ...(instance.has_user_data ? ["user data"] : []),
  ];
}

/** Whether it was named by its user: the default name ends in digits of its id, and another instance has others. */
function isGiven({ id, name }: Shape<"Instance">): boolean {
  return !name.endsWith(`-${id.slice(-8)}`);
}
