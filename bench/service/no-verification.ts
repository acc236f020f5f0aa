// Replaces the libvirt engine's verification, a guest that each host boots at start, by none: a thousand hosts that are
// one machine would boot a thousand guests at once. Loaded into the measured service with --import; everything else of
// it is the program as it is. Used by runs/hosts.ts.

import { registerHooks } from "node:module";

const source = `
export const verificationSeconds = 20;
export const oldSeconds = 40;
export async function verifyVirtualization() {}
export async function clearOldVerifications() {}
`;

registerHooks({
  load: (url, context, nextLoad) =>
    url.endsWith("/src/engines/libvirt/virtualization.ts")
      ? { format: "module", source, shortCircuit: true }
      : nextLoad(url, context),
});
