// Reads whose answers are kept: what the other folders of the HTTP room may use.

export { keptOrRead, type ReadAnswer, tagged } from "./cached-or-read.ts";
export { KeptAnswers } from "./cached-responses.ts";
export { type Answered, type FrontParts, type Handler, shortWay } from "./fast-path.ts";
export { type Way, Ways } from "./fast-path-index.ts";
export { HandedOn } from "./handoff.ts";
