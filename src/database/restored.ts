// The mark that a restore leaves in the database (`settings`), until an operator takes it away: machines that were made
// after the backup was taken have no row here, and are somebody's all the same. So a sweep that finds a machine of which
// this database knows nothing leaves it alone as long as the mark is there (reconciler/resync.ts). Set by src/backup/.

/** The name of the setting; its value tells when it was restored, and when the backup was taken. */
export const restoredSetting = "restored";
