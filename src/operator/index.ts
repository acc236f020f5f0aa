// Commands that an operator runs beside the service: they need its settings, and no running service. Used by program.ts.

export { type BackupOrder, backup } from "./backup.ts";
export { type EngineCheckOrder, engineCheck } from "./engine-check.ts";
export { type ImageImportOrder, imageImport } from "./image-import.ts";
export { type RestoreOrder, restore } from "./restore.ts";
export { statusLine } from "./status-line.ts";
export type { Surroundings } from "./surroundings.ts";
