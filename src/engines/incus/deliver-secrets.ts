// Delivers the secrets into the guest, where they stay in one file that only root can read. Not through the instance's
// configuration, which the cluster's database stores in plaintext.
//
// The guest waits for the file at its first boot, before it allows logins (engines/guest/). So delivery during boot
// does not delay a launch; a virtual machine can get it only when its agent responds.

import type { MachineSpec } from "../engine.ts";
import { secretsFor, secretsPath } from "../guest/secrets.ts";
import { changeWhenFree } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";
import { marks } from "./labels.ts";

/** The same headers under the names of both projects. */
const headers = Object.fromEntries(
  ["X-LXD", "X-Incus"].flatMap((prefix) => [
    [`${prefix}-uid`, "0"],
    [`${prefix}-gid`, "0"],
    [`${prefix}-mode`, "0600"],
    [`${prefix}-type`, "file"],
    [`${prefix}-write`, "overwrite"],
  ]),
);

/** Delivers the secrets to a running machine and labels it. Throws as Client.call, also while its agent does not respond. */
export async function tell({ client }: Cluster, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(secretsFor(spec.guest));
  const file = { method: "POST", query: { path: secretsPath }, bytes, headers } as const;
  await client.call(`${instancePath(spec.id)}/files`, file, signal);
  const body = { config: { [marks.told]: "true" } };
  await changeWhenFree(client, instancePath(spec.id), { method: "PATCH", body }, signal);
}
