// Where a cluster finds an image of the catalog: under an alias or a fingerprint, or on an image server. Used by
// engines/incus/settings/settings.ts.

import { ConfigError } from "../../../settings/error.ts";
import type { Called } from "../../../settings/setting-path.ts";
import type { IncusFileSettings } from "./schema.ts";

export type IncusImageSource =
  | { readonly kind: "alias"; readonly alias: string }
  /** 64 hex digits in lower case. */
  | { readonly kind: "fingerprint"; readonly fingerprint: string }
  /** An alias of an https:// image server, from which the cluster downloads it. */
  | { readonly kind: "server"; readonly alias: string; readonly server: string; readonly protocol: ImageProtocol };

export type ImageProtocol = "simplestreams" | "incus" | "lxd";

type ImageSetting = NonNullable<IncusFileSettings["images"]>[string];

/** `image` is its name in the catalog. Throws ConfigError. */
export function resolveImage(setting: ImageSetting, image: string, called: Called): IncusImageSource {
  const { alias, fingerprint, server, protocol } = setting;
  const refuse = (...path: string[]) => called("images", image, ...path);
  if ((alias === undefined) === (fingerprint === undefined)) {
    throw new ConfigError(`${refuse()} must have either alias or fingerprint.`);
  }
  if (server === undefined && protocol !== undefined) {
    throw new ConfigError(`${refuse("protocol")} must not be set without server.`);
  }
  if (fingerprint !== undefined) {
    if (server === undefined) return { kind: "fingerprint", fingerprint: fingerprint.toLowerCase() };
    throw new ConfigError(`${refuse("server")} must not be set with fingerprint: an image server is asked by alias.`);
  }
  if (alias === undefined) throw new Error("BUG: an image has neither alias nor fingerprint");
  if (server === undefined) return { kind: "alias", alias };
  if (!isImageServer(server)) {
    throw new ConfigError(
      `${refuse("server")} must be an https:// URL, without a user, a password or anything after "?".`,
    );
  }
  return { kind: "server", alias, server, protocol: protocol ?? "simplestreams" };
}

function isImageServer(text: string): boolean {
  if (/[\s?#@\\]/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).protocol === "https:";
}
