// Backups: everything that is in the database, of one moment, in one file, and back into an empty database. Through
// PostgreSQL's COPY, because the machine may have nothing but Node: there is no pg_dump beside the embedded server.
// Used by src/operator/.

export { DraftError, writeWhole } from "./draft.ts";
export { BackupFileError, type BackupHeader } from "./file-format.ts";
export type { Loaded } from "./load.ts";
export { type BackupFile, openBackup } from "./read.ts";
export { acceptOrphans, restoreInto } from "./restore.ts";
export { NothingThere } from "./snapshot.ts";
export { NotEmpty } from "./target.ts";
export { type WriteOrder, type Written, writeBackup } from "./write.ts";
