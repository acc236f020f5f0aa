// Builds what an engine needs to create and start an instance. Decrypts values: the result contains secrets in
// plaintext, lives for one reconciliation, and is never logged.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { GuestFileSystem, MachineSpec } from "../engines/engine.ts";
import { inboundOf } from "../rental/firewall/inbound.ts";
import { jupyterTokenContext, passwordContext } from "../rental/instances/instance.ts";
import { openLaunchSecrets } from "../rental/instances/launch-secrets.ts";
import { defaultMountPoint } from "../rules/mount-points.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Job } from "./lease-store.ts";

/** Throws CannotOpen if a value cannot be decrypted; the message contains no secret. */
export async function machineSpec(db: Database, keyRing: KeyRing, job: Job): Promise<MachineSpec> {
  return {
    id: job.id,
    host: job.host,
    accountId: job.account_id,
    generation: job.generation,
    vcpus: job.vcpus,
    memoryGib: job.memory_gib,
    storageGb: job.storage_gb,
    gpuAddresses: job.gpu_addresses,
    image: job.image_name,
    inbound: job.has_rules ? await inboundOf(db, job) : undefined,
    hasMetrics: job.guest_metrics,
    // The notice of an eviction.
    takesFiles: job.spot,
    guest: {
      hostname: job.hostname,
      loginUser: job.login_user,
      sshKeys: job.ssh_keys.map((key) => key.public_key),
      password:
        job.password_sealed === null ? undefined : keyRing.openText(job.password_sealed, passwordContext(job.id)),
      jupyterToken:
        job.jupyter_token_sealed === null
          ? undefined
          : keyRing.openText(job.jupyter_token_sealed, jupyterTokenContext(job.id)),
      command: job.command ?? undefined,
      ...(await openLaunchSecrets(db, keyRing, job)),
      fileSystems: job.file_system_names.length === 0 ? [] : await attachedFileSystems(db, job),
    },
  };
}

async function attachedFileSystems(db: Database, job: Job): Promise<GuestFileSystem[]> {
  const { rows } = await sql<Omit<GuestFileSystem, "mountPoint">>`
    select id, name, size_gb as "sizeGb" from file_systems where attached_to @> array[${job.id}::uuid] order by name`.execute(
    db,
  );
  const mountPoints = new Map(job.file_system_mounts.map((one) => [one.file_system_id, one.mount_point]));
  return rows.map((one) => ({ ...one, mountPoint: mountPoints.get(one.id) ?? defaultMountPoint(one.name) }));
}
