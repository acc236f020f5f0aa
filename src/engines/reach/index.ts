// Whether guests can be reached, the same for every real engine: the SSH probe, and the loops that wait for it.

export { type Look, type LookoutParts, Lookouts, type Pace } from "./lookouts.ts";
export { createProbe, type ProbeAnswer, type ProbeSettings, type ProbeTarget, type SshProbe } from "./probe.ts";
