// How one Incus or LXD cluster is reached and used: what config.ts makes of lessor.yaml, by the names that this engine's
// files and `lessor engine check` know it by. Types alone; nothing is said of the settings here a second time.

export type { IncusClusterSettings as IncusSettings, IncusEndpoint, IncusImageSource } from "../../config.ts";
