// Builds what an engine needs to create and start an instance. Decrypts values: the result contains secrets in
// plaintext, lives for one reconciliation, and is never logged.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { GuestFileSystem, MachineSpec } from "../engines/engine.ts";
import { inboundOf } from "../rental/firewall/inbound.ts";
import { envVarsContext, jupyterTokenContext, passwordContext, userDataContext } from "../rental/instances/instance.ts";
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
      userData: job.user_data_id === null ? undefined : await openUserData(db, keyRing, job.user_data_id),
      envVars: openEnvVars(keyRing, job),
      fileSystems: job.file_system_names.length === 0 ? [] : await attachedFileSystems(db, job),
    },
  };
}

function openEnvVars(keyRing: KeyRing, job: Job): Record<string, string> {
  if (job.env_vars_sealed === null) return {};
  const opened: unknown = JSON.parse(keyRing.openText(job.env_vars_sealed, envVarsContext(job.id)));
  if (typeof opened !== "object" || opened === null) throw new Error("BUG: sealed env_vars are not an object");
  return Object.fromEntries(
    Object.entries(opened).map(([name, value]) => {
      if (typeof value !== "string") throw new Error("BUG: a sealed env value is not a string");
      return [name, value];
    }),
  );
}

async function openUserData(db: Database, keyRing: KeyRing, id: string): Promise<string> {
  const query = db.selectFrom("user_data").select("text_sealed").where("id", "=", id);
  const row = await query.executeTakeFirstOrThrow();
  return keyRing.openText(row.text_sealed, userDataContext(id));
}

async function attachedFileSystems(db: Database, job: Job): Promise<GuestFileSystem[]> {
  const { rows } = await sql<Omit<GuestFileSystem, "mountPoint">>`
    select id, name, size_gb as "sizeGb" from file_systems where attached_to @> array[${job.id}::uuid] order by name`.execute(
    db,
  );
  const mountPoints = new Map(job.file_system_mounts.map((one) => [one.file_system_id, one.mount_point]));
  return rows.map((one) => ({ ...one, mountPoint: mountPoints.get(one.id) ?? defaultMountPoint(one.name) }));
}
