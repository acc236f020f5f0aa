// `lessor launch --like`: a launch with the settings of another instance, which the service copies. Used by
// order-options.ts.

import type { Shape } from "../../client/client.ts";
import { isLive } from "../../rules/lifecycle.ts";
import { fileSystemsOf } from "../commands/fs.ts";
import { type Instance, instanceOf, readInstance } from "../instances.ts";
import { plain } from "../output/text.ts";
import type { Shell } from "../shell.ts";
import type { LaunchOrder } from "./order-options.ts";

type FileSystem = Pick<Shape<"FileSystem">, "id" | "name" | "attached_to" | "multi_attach">;

/** Notes on standard error what is not copied. Throws CommandError if there is no such instance. */
export async function orderLike(shell: Shell, word: string, quantity: number): Promise<Partial<LaunchOrder>> {
  const client = shell.client();
  const instance = await readInstance(client, (await instanceOf(client, word)).id);
  await noteNotCopied(shell, instance, quantity);
  return copied(instance, quantity);
}

/** On standard error. */
export async function noteNotCopied(shell: Shell, one: Instance, quantity: number): Promise<void> {
  const fileSystems = one.file_system_mounts.length === 0 ? [] : await fileSystemsOf(shell);
  const missing = notCopied(one, quantity, fileSystems);
  if (missing.length === 0) return;
  shell.err.line(`Not copied from ${plain(one.name)}: ${missing.join(", ")}. Specify them again if needed.`);
}

/** The order's fields: what the price and the place depend on is named, and the service copies the rest. */
export function copied(one: Instance, quantity: number): Partial<LaunchOrder> {
  return {
    like: one.id,
    instance_type: one.instance_type.name,
    region: one.region.name,
    ...(one.spot ? { spot: true } : {}),
    ...(isLive[one.status] ? {} : { name: one.name }),
    // The service attaches file systems only to launches of a single instance.
    ...(quantity === 1 ? {} : { file_system_mounts: [] }),
  };
}

/** What it was launched with that is not reused. `fileSystems`: those of the account. */
export function notCopied(one: Instance, quantity: number, fileSystems: readonly FileSystem[]): string[] {
  const mounted = fileSystems.filter(({ id }) => one.file_system_mounts.some((mount) => mount.file_system_id === id));
  const left = mounted.filter((file) => quantity > 1 || (file.attached_to !== null && !file.multi_attach));
  return [
    ...(one.coupon === null ? [] : ["the coupon (--coupon)"]),
    ...left.map(({ name }) => `the file system ${name} (--fs)`),
  ];
}
