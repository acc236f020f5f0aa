// Installs the GPU helper of the package on the GPU host, by the steps of
// docs/how-to/operators/install-the-gpu-helper.md. Used by the story.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeKey } from "../../../support/keys.ts";
import type { GpuHost } from "../gpu-host.ts";

const from = resolve(import.meta.dirname, "../../../../packaging/gpu-helper");
const to = "/usr/local/lib/lessor-gpu-helper";

/** Returns the command for `gpus.helpers` of lessor.yaml. `directory`: for the key, which can start nothing but the helper. */
export async function installHelper(host: GpuHost, directory: string): Promise<readonly string[]> {
  await host.on(`mkdir -p ${to}`);
  for (const name of readdirSync(from)) {
    await host.on(`install -m 755 /dev/stdin ${to}/${name}`, readFileSync(join(from, name), "utf8"));
  }
  const key = await makeKey(directory, "lessor-gpu-helper");
  const line = `restrict,command="${to}/lessor-gpu-helper" ${key.publicKey}\n`;
  await host.on("cat >>/srv/authorized_keys", line);
  return host.loginBy(key);
}
