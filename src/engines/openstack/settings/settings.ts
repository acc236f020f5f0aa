// The clouds in `openstack:` of lessor.yaml, each an engine. The schema (schema.ts) has validated single values; this
// file checks combinations and sets defaults. Whether they fit the cloud, the engine finds out. Invariant: no error
// repeats a value. Used by everything in this engine.

import { resolve } from "node:path";
import { ConfigError } from "../../../settings/error.ts";
import type { Called } from "../../../settings/setting-path.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import type { SettingsFile } from "../../kind.ts";
import { byName, type CommonSettings, resolveCommon } from "../../settings/common.ts";
import { type CloudAccess, readCloud } from "./clouds-file.ts";
import { type CloudImage, resolveImage } from "./image.ts";
import { type NotificationSettings, resolveNotifications } from "./notifications.ts";
import type { OpenStackFileSettings } from "./schema.ts";

export interface OpenStackSettings extends CommonSettings {
  /** The engine's name; unique among all engines. */
  readonly name: string;
  readonly access: CloudAccess;
  /** At least one. */
  readonly regions: readonly CloudRegion[];
  /** By resource class of Placement. Has no prototype. */
  readonly gpus: Readonly<Record<string, CloudGpu>>;
  /** Whether the engine creates flavors, or finds those of the operator that fit. */
  readonly flavors: "created" | "mapped";
  /** By the image's name in the catalog. Has no prototype, so any name is a safe key. */
  readonly images: Readonly<Record<string, CloudImage>>;
  /** Prefix of hosts' names. */
  readonly hostPrefix: string;
  readonly pollSeconds: number;
}

export interface CloudRegion {
  /** Lessor's name. */
  readonly region: string;
  /** OpenStack's name; undefined: that of the entry in clouds.yaml. */
  readonly cloudRegion: string | undefined;
  /** Name or id, as all names below. */
  readonly network: string;
  readonly floatingNetwork: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly aggregate: string | undefined;
  readonly volumeType: string | undefined;
  /** Undefined: changes are only asked for. */
  readonly notifications: NotificationSettings | undefined;
  /** Undefined: hosts are visible, and Lessor decides which one. Otherwise at least one, and Nova decides. */
  readonly pools: readonly CloudPool[] | undefined;
}

/** The GPUs of one class in a region, and what there is beside them. */
export interface CloudPool {
  /** A resource class of `gpus`; undefined: the pool has none. */
  readonly gpu: string | undefined;
  /** How many GPUs; 0 without a class. */
  readonly count: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
}

export interface CloudGpu {
  /** Its name in the catalog. */
  readonly model: string;
  readonly memoryGib: number;
  /** Required of hosts. */
  readonly trait: string | undefined;
  /** Of nova.conf: GPUs are PCI devices, and asked for by this alias. */
  readonly alias: string | undefined;
}

/**
 * The clouds, with defaults and absolute paths. `file` is lessor.yaml: its name for messages, and the directory that
 * relative paths start from. Throws ConfigError, also for what is wrong in the file of clouds.
 */
export function resolveOpenStack(
  settings: readonly OpenStackFileSettings[] | undefined,
  file: SettingsFile,
): OpenStackSettings[] {
  return (settings ?? []).map((cloud, index) =>
    resolveCloud(cloud, (...path) => settingIn(["openstack", index, ...path], file.name), file.directory),
  );
}

function resolveCloud(settings: OpenStackFileSettings, called: Called, directory: string): OpenStackSettings {
  const access = accessOf(settings, called, directory);
  const regions = resolveRegions(settings, access, called, directory);
  return {
    name: settings.name,
    access,
    regions,
    gpus: byName(settings.gpus, ({ model, memory_gib, trait, alias }, resourceClass) => [
      resourceClass,
      { model, memoryGib: memory_gib, trait, alias },
    ]),
    // Where hosts are not visible, credentials can seldom create flavors.
    flavors: settings.flavors ?? (regions.some(({ pools }) => pools !== undefined) ? "mapped" : "created"),
    images: byName(settings.images, (image, name) => [name, resolveImage(image, name, called)]),
    hostPrefix: settings.host_prefix ?? "",
    pollSeconds: settings.poll_seconds ?? 10,
    ...resolveCommon(settings, called),
  };
}

/** Without `clouds_file`, the message about a missing file names the default, since the operator set none. */
function accessOf({ clouds_file, cloud }: OpenStackFileSettings, called: Called, directory: string): CloudAccess {
  if (clouds_file !== undefined) return readCloud(resolve(directory, clouds_file), cloud, called);
  const byDefault: Called = (...path) =>
    path[0] === "clouds_file" ? `${called(...path)} (by default clouds.yaml beside it)` : called(...path);
  return readCloud(resolve(directory, "clouds.yaml"), cloud, byDefault);
}

type RegionSetting = OpenStackFileSettings["regions"][string];

function resolveRegions(
  settings: OpenStackFileSettings,
  access: CloudAccess,
  called: Called,
  directory: string,
): CloudRegion[] {
  const regions = Object.entries(settings.regions).map(([region, setting]): CloudRegion => {
    const { aggregate, pools, notifications } = setting;
    const inside: Called = (...path) => called("regions", region, ...path);
    if (aggregate !== undefined && pools !== undefined) {
      throw new ConfigError(
        `${inside("aggregate")} must not be set with pools: it selects hosts, which are visible without pools.`,
      );
    }
    return {
      region,
      cloudRegion: setting.cloud_region,
      network: setting.network,
      floatingNetwork: setting.floating_network,
      availabilityZone: setting.availability_zone,
      aggregate,
      volumeType: setting.volume_type,
      notifications:
        notifications && resolveNotifications(notifications, (...path) => inside("notifications", ...path), directory),
      pools: pools && resolvePools(pools, settings, (...path) => inside("pools", ...path)),
    };
  });
  if (regions.length === 0) throw new ConfigError(`${called("regions")} must have at least one region.`);
  refuseSharedHosts(regions, access, called);
  return regions;
}

function resolvePools(
  pools: NonNullable<RegionSetting["pools"]>,
  { gpus }: OpenStackFileSettings,
  called: Called,
): CloudPool[] {
  return pools.map(({ gpu, count, vcpus, memory_gib, storage_gb }, index) => {
    if (gpu !== undefined && !Object.hasOwn(gpus ?? {}, gpu)) {
      throw new ConfigError(`${called(index, "gpu")} must be a key of gpus.`);
    }
    if ((gpu === undefined) !== (count === undefined)) {
      throw new ConfigError(`${called(index)} must have both gpu and count (of its GPUs), or neither.`);
    }
    if (pools.findIndex((other) => other.gpu === gpu) !== index) {
      throw new ConfigError(`${called(index)} must have another gpu than the pools before it.`);
    }
    return { gpu, count: count ?? 0, vcpus, memoryGib: memory_gib, storageGb: storage_gb };
  });
}

/** A host in two regions would be rented twice. */
function refuseSharedHosts(regions: readonly CloudRegion[], access: CloudAccess, called: Called): void {
  const visible = regions.filter(({ pools }) => pools === undefined);
  for (const [index, one] of visible.entries()) {
    const shared = visible.slice(0, index).some((other) => {
      const same = (a: string | undefined, b: string | undefined) => a === undefined || b === undefined || a === b;
      return (
        (one.cloudRegion ?? access.region) === (other.cloudRegion ?? access.region) &&
        same(one.availabilityZone, other.availabilityZone) &&
        same(one.aggregate, other.aggregate)
      );
    });
    if (!shared) continue;
    throw new ConfigError(
      `${called("regions", one.region)} must differ from the regions before it in cloud_region, availability_zone or aggregate: no host can be in two regions.`,
    );
  }
}
