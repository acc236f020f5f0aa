// The clusters in `incus:` of lessor.yaml, each an engine. The schema (schema.ts) has validated single values; this
// file checks combinations and sets defaults. Whether they fit the cluster, the engine finds out. Invariant: no error
// repeats a value. Used by ../kind.ts.

import { ConfigError } from "../../../settings/error.ts";
import { type Called, settingIn } from "../../../settings/setting-path.ts";
import type { SettingsFile } from "../../kind.ts";
import { byName, type CommonSettings, resolveCommon } from "../../settings/common.ts";
import { type IncusEndpoint, type IncusTls, resolveEndpoints, resolveTls } from "./connection.ts";
import { type IncusImageSource, resolveImage } from "./image.ts";
import type { IncusFileSettings } from "./schema.ts";

export interface IncusSettings extends CommonSettings {
  /** The engine's name; unique among all engines. */
  readonly name: string;
  /** Members of one cluster, in the order in which they are tried. At least one. */
  readonly endpoints: readonly IncusEndpoint[];
  /** Undefined where all endpoints are Unix sockets. */
  readonly tls: IncusTls | undefined;
  /** If a member is in several groups, the first counts. At least one. */
  readonly regionOf:
    | { readonly kind: "all"; readonly region: string }
    | { readonly kind: "groups"; readonly groups: readonly { readonly group: string; readonly region: string }[] };
  readonly kind: "virtual-machine" | "container";
  readonly project: string;
  readonly pool: string;
  readonly nic:
    | { readonly kind: "network"; readonly network: string }
    | { readonly kind: "profile"; readonly profile: string };
  /** By the image's name in the catalog. Has no prototype, so any name is a safe key. */
  readonly images: Readonly<Record<string, IncusImageSource>>;
  /** Prefix of members' names. */
  readonly hostPrefix: string;
}

/**
 * The clusters, with defaults and absolute paths. `file` is lessor.yaml: its name for messages, and the directory that
 * relative paths start from. Throws ConfigError, also if a named file cannot be read.
 */
export function resolveIncus(settings: readonly IncusFileSettings[] | undefined, file: SettingsFile): IncusSettings[] {
  return (settings ?? []).map((cluster, index) =>
    resolveCluster(cluster, (...path) => settingIn(["incus", index, ...path], file.name), file.directory),
  );
}

function resolveCluster(settings: IncusFileSettings, called: Called, directory: string): IncusSettings {
  const endpoints = resolveEndpoints(settings.urls, called);
  return {
    name: settings.name,
    endpoints,
    tls: resolveTls(settings.tls, endpoints, called, directory),
    regionOf: resolveRegions(settings, called),
    kind: settings.kind ?? "virtual-machine",
    project: settings.project ?? "default",
    pool: settings.pool ?? "default",
    nic: resolveNic(settings, called),
    images: byName(settings.images, (image, name) => [name, resolveImage(image, name, called)]),
    ...resolveCommon(settings, called),
    hostPrefix: settings.host_prefix ?? "",
  };
}

function resolveRegions({ region, regions }: IncusFileSettings, called: Called): IncusSettings["regionOf"] {
  if ((region === undefined) === (regions === undefined)) {
    throw new ConfigError(
      `${called()} must have either region (one for the whole cluster) or regions (a map from member group to region).`,
    );
  }
  if (region !== undefined) return { kind: "all", region };
  const groups = Object.entries(regions ?? {}).map(([group, region]) => ({ group, region }));
  if (groups.length === 0) throw new ConfigError(`${called("regions")} must name at least one member group.`);
  return { kind: "groups", groups };
}

function resolveNic(
  { network, profile, management_networks: networks }: IncusFileSettings,
  called: Called,
): IncusSettings["nic"] {
  if (network !== undefined && profile === undefined) return { kind: "network", network };
  if (profile !== undefined && network === undefined) {
    if (networks !== undefined && networks.length > 0) {
      throw new ConfigError(
        `${called("management_networks")} requires network: Lessor does not filter the NIC of a profile.`,
      );
    }
    return { kind: "profile", profile };
  }
  throw new ConfigError(
    `${called()} must have either network (a managed network of the cluster) or profile (one that brings the NIC).`,
  );
}
