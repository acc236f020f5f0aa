// The readiness of guests, the same for every real engine: the SSH probe, watchers that wait for it, cached
// observations, and background tasks.

export { Seen } from "./cached-observation.ts";
export { createProbe, type ProbeAnswer, type ProbeSettings, type ProbeTarget, type SshProbe } from "./probe.ts";
export { Tasks } from "./tasks.ts";
export { type Check, type Pace, type ReadinessDependencies, ReadinessWatchers } from "./watchers.ts";
