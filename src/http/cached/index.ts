// Reads whose answers are kept: what the other folders of the HTTP room may use.

export { cachedOrRead, type ReadAnswer, tagged } from "./cached-or-read.ts";
export { CachedResponses } from "./cached-responses.ts";
export { type Answered, type FastPathDependencies, fastPath, type Handler } from "./fast-path.ts";
export { type FastPathEntry, FastPathIndex } from "./fast-path-index.ts";
export { Handoff } from "./handoff.ts";
