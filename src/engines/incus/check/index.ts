// `lessor engine check`, as far as it is about Incus and LXD: what the rest of the engine exports of it.

export { type CheckOptions, checkCluster } from "./check-cluster.ts";
export type { Finding, Verdict } from "./finding.ts";
