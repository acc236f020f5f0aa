// The quotas of accounts in words. Used by the pages of the own account and of any account.

import type { Shape } from "../../../src/client/client.ts";

export const quotaTitles = {
  instances: "Instances",
  gpus: "GPUs",
  vcpus: "vCPUs",
  ssh_keys: "SSH keys",
  file_systems: "File systems",
} as const satisfies Record<keyof Shape<"Account">["quotas"], string>;
// Object.keys returns strings; these are the keys of the table.
export const quotaNames = Object.keys(quotaTitles) as readonly (keyof typeof quotaTitles)[];
