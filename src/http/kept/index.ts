// Reads whose answers are kept: what the other folders of the HTTP room may use.

export { type Answered, type FrontParts, type Handler, shortWay } from "./front.ts";
export { HandedOn } from "./handed-on.ts";
export { KeptAnswers } from "./kept-answers.ts";
export { keptOrRead, type ReadAnswer, tagged } from "./kept-or-read.ts";
export { type Way, Ways } from "./ways.ts";
