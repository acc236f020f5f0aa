// Encryption keys while the service runs: what other rooms may use.

export { answerContext } from "./answer-context.ts";
export { type EncryptedColumn, encryptedColumns, kindOf } from "./encrypted-columns.ts";
export { Encryption, type EncryptionParts, type EncryptionStatus } from "./encryption.ts";
export { WrongKey } from "./key-check.ts";
export type { Rotation } from "./rotation-store.ts";
