// The Incus and LXD engine: what other rooms may use. composition.ts makes one for each cluster of lessor.yaml;
// the commands of operator/ check clusters and bring images there.

export { checkCluster } from "./check/index.ts";
export { IncusEngine } from "./engine.ts";
export { type Imported, type ImportOrder, importImage } from "./images/index.ts";
export type { IncusSettings } from "./settings/settings.ts";
