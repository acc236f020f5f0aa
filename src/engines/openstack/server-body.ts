// The body of POST /servers, from a machine's spec. Pure.
//
// Invariant: it contains no secret, because the cloud's database stores it and its administrators see it; secrets are
// delivered to the running guest (secrets.ts).

import { gzipSync } from "node:zlib";
import { EngineError, type MachineSpec } from "../engine.ts";
import { userDataFor } from "../guest/user-data.ts";
import type { Volume } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { gpusText, keys, machineName, serverTags } from "./labels.ts";

/** The limit of Nova, in characters of Base64. */
const MOST_USER_DATA = 65_535;

/** Nova's metadata service, as every guest reaches it. */
const METADATA_URL = "http://169.254.169.254/openstack/latest/meta_data.json";

/** As many characters of a volume's id as a disk of virtio shows. */
const SERIAL = 20;

export interface ServerParts {
  readonly portId: string;
  readonly imageId: string;
  readonly flavorId: string;
  /** Of the guest's file systems, in their order. */
  readonly volumes: readonly Volume[];
}

/** Throws EngineError user-data-too-large (refused), and "BUG: …" for names that were not validated. */
export function serverBody(cloud: Cloud, region: Region, spec: MachineSpec, parts: ServerParts): object {
  const { portId, imageId, flavorId, volumes } = parts;
  const { availabilityZone, pools } = region.settings;
  return {
    server: {
      name: machineName(spec.id),
      imageRef: imageId,
      flavorRef: flavorId,
      networks: [{ port: portId }],
      user_data: userDataOf(spec, volumes),
      config_drive: true,
      tags: serverTags(spec, cloud.owner),
      metadata: {
        [keys.account]: spec.accountId,
        [keys.gpus]: gpusText(spec.gpuAddresses),
        [keys.host]: spec.host,
      },
      ...(availabilityZone === undefined ? {} : { availability_zone: availabilityZone }),
      // The host that Lessor chose; of pools, Nova chooses.
      ...(pools === undefined ? { host: spec.host.slice(cloud.settings.hostPrefix.length) } : {}),
      ...(volumes.length === 0 ? {} : { block_device_mapping_v2: disks(imageId, volumes) }),
    },
  };
}

/** Compressed, which cloud-init detects: the boot hook alone would take half of the room. Throws as `serverBody`. */
export function userDataOf({ guest }: MachineSpec, volumes: readonly Volume[]): string {
  const serials = new Map(guest.fileSystems.map(({ id }, index) => [id, volumes[index]?.id ?? ""]));
  const serialOf = (id: string) => (serials.get(id) ?? "").slice(0, SERIAL);
  const text = userDataFor(guest, { secretsUrl: METADATA_URL, serialOf });
  const encoded = gzipSync(text).toString("base64");
  if (encoded.length <= MOST_USER_DATA) return encoded;
  throw new EngineError("refused", "user-data-too-large", "The user data is larger than the cloud takes.");
}

function disks(imageId: string, volumes: readonly Volume[]): object[] {
  return [
    {
      boot_index: 0,
      uuid: imageId,
      source_type: "image",
      destination_type: "local",
      delete_on_termination: true,
    },
    ...volumes.map(({ id }) => ({
      boot_index: -1,
      uuid: id,
      source_type: "volume",
      destination_type: "volume",
      delete_on_termination: false,
    })),
  ];
}
