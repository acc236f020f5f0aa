// Where a cloud finds an image of the catalog: in Glance, by id or by name. Used by settings.ts.

import { ConfigError } from "../../../settings/error.ts";
import type { Called } from "../../../settings/setting-path.ts";
import type { OpenStackFileSettings } from "./schema.ts";

export type CloudImage =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "name"; readonly name: string };

type ImageSetting = NonNullable<OpenStackFileSettings["images"]>[string];

/** `image` is its name in the catalog. Throws ConfigError. */
export function resolveImage({ id, name }: ImageSetting, image: string, called: Called): CloudImage {
  if (id !== undefined && name === undefined) return { kind: "id", id };
  if (name !== undefined && id === undefined) return { kind: "name", name };
  throw new ConfigError(`${called("images", image)} must have either id or name.`);
}
