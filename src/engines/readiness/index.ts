// Whether guests can be reached, the same for every real engine: the SSH probe, the loops that wait for it, what was seen,
// and what goes on with a machine after an engine has answered.

export { Seen } from "./cached-observation.ts";
export { createProbe, type ProbeAnswer, type ProbeSettings, type ProbeTarget, type SshProbe } from "./probe.ts";
export { Tasks } from "./tasks.ts";
export { type Check, type Pace, type ReadinessDependencies, ReadinessWatchers } from "./watchers.ts";
