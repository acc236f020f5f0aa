// `lessor engine check`, as far as it is about Incus and LXD: what the rest of the engine exports of it.

export { checkCluster } from "./check-cluster.ts";
