// Commands that an operator runs beside the service: they need its settings, and no running service. Used by main.ts.

export { type EngineCheckOrder, engineCheck } from "./engine-check.ts";
export { type ImageImportOrder, imageImport } from "./image-import.ts";
export { statusLine } from "./status-line.ts";
export type { Surroundings } from "./surroundings.ts";
