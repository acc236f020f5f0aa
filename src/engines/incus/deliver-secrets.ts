// Delivers the guest's secrets into the guest, where they stay in one file that only root can read. Not through the
// instance's configuration: that is stored in the cluster's database as it is.
//
// The guest waits for the file at its first boot, before it lets anybody in (engines/guest/). So it may come while it
// boots, which costs a launch nothing, and a virtual machine can be told no earlier than its agent answers.

import type { MachineSpec } from "../engine.ts";
import { secretsFor, secretsPath } from "../guest/secrets.ts";
import { changeWhenFree } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";
import { marks } from "./labels.ts";

/** The same headers in the names of both projects. */
const headers = Object.fromEntries(
  ["X-LXD", "X-Incus"].flatMap((prefix) => [
    [`${prefix}-uid`, "0"],
    [`${prefix}-gid`, "0"],
    [`${prefix}-mode`, "0600"],
    [`${prefix}-type`, "file"],
    [`${prefix}-write`, "overwrite"],
  ]),
);

/** Tells a running machine, and marks it as told. Throws as Client.call, also while its agent does not answer yet. */
export async function tell({ client }: Cluster, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(secretsFor(spec.guest));
  const file = { method: "POST", query: { path: secretsPath }, bytes, headers } as const;
  await client.call(`${instancePath(spec.id)}/files`, file, signal);
  const body = { config: { [marks.told]: "true" } };
  await changeWhenFree(client, instancePath(spec.id), { method: "PATCH", body }, signal);
}
