// Makes what an engine is told of an instance to create and to start it. Opens the sealed values: what comes out holds secrets in
// plaintext, lives for one turn, and is never logged.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { GuestSpec, MachineSpec } from "../engines/engine.ts";
import { envVarsContext, jupyterTokenContext, passwordContext } from "../rental/instances/instance.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Job } from "./lease-store.ts";

/** Throws CannotOpen where a sealed value does not open; its message holds no secret. */
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
      userData: undefined, // no interface takes any yet
      envVars: openEnvVars(keyRing, job),
      fileSystems: job.file_system_names.length === 0 ? [] : await attachedFileSystems(db, job.id),
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

async function attachedFileSystems(db: Database, instanceId: string): Promise<GuestSpec["fileSystems"]> {
  const { rows } = await sql<{ id: string; name: string; sizeGb: number }>`
    select id, name, size_gb as "sizeGb" from file_systems where attached_to = ${instanceId} order by name`.execute(db);
  return rows;
}
