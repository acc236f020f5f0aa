// The clouds in `openstack:` of lessor.yaml, each an engine. Used by everything in this engine.

import type { CommonSettings } from "../../settings/common.ts";
import type { CloudAccess } from "./clouds-file.ts";
import type { CloudImage } from "./image.ts";

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
