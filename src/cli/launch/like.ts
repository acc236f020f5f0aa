// `lessor launch --like`: the order that an instance was launched with, as far as it can be read. Used by launching.ts.

import { isLive } from "../../rules/lifecycle.ts";
import { type Instance, instanceOf, readInstance } from "../instances.ts";
import { plain } from "../output/text.ts";
import type { Shell } from "../shell.ts";
import type { LaunchOrder } from "./order-options.ts";

/** Notes on standard error what cannot be copied. Throws CommandError if there is no such instance. */
export async function orderLike(shell: Shell, word: string, quantity: number): Promise<Partial<LaunchOrder>> {
  const client = shell.client();
  const instance = await readInstance(client, (await instanceOf(client, word)).id);
  const missing = notCopied(instance, quantity);
  if (missing.length > 0) {
    shell.err.line(`Not copied from ${plain(instance.name)}: ${missing.join(", ")}. Specify them again if needed.`);
  }
  return copied(instance, quantity);
}

/** The order's fields. Its name only if the instance no longer needs it. */
export function copied(one: Instance, quantity: number): Partial<LaunchOrder> {
  return {
    instance_type: one.instance_type.name,
    region: one.region.name,
    image: one.image.name,
    ssh_key_names: one.ssh_key_names,
    tags: one.tags,
    firewall_ruleset_ids: one.firewall_ruleset_ids,
    max_lifetime_seconds: one.max_lifetime_seconds,
    ...(!isLive[one.status] ? { name: one.name } : {}),
    ...(one.login === "password" ? { password_without_keys: true } : {}),
    ...(typeof one.command === "string" ? { command: one.command } : {}),
    // The service attaches file systems only to launches of a single instance.
    ...(quantity === 1 ? { file_system_mounts: one.file_system_mounts } : {}),
  };
}

/** What it was launched with that cannot be read or reused. */
export function notCopied(one: Instance, quantity: number): string[] {
  return [
    ...(one.has_env_vars ? ["environment variables (--env-file)"] : []),
    ...(one.has_user_data ? ["user data (--user-data)"] : []),
    ...(one.coupon === null ? [] : ["the coupon (--coupon)"]),
    ...(quantity > 1 && one.file_system_mounts.length > 0 ? ["file systems"] : []),
  ];
}
