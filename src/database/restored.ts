// The mark of a restore in the database (`settings`), until an operator removes it: machines created after the backup
// was taken have no row here, but belong to customers. So while the mark is there, a full resync leaves machines that
// this database does not know (reconciler/resync.ts). Set by src/backup/.

/** The name of the setting; its value has the times of the restore and of the backup. */
export const restoredSetting = "restored";
