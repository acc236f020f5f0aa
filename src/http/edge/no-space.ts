// What is rejected while the database is out of space: operations that create rows, before they use the rest. What ends
// or changes something still works, on the reserve (database/embedded/disk-reserve.ts). Used by operations.ts.
// Invariant: nothing that stops, terminates, deletes or revokes is rejected here.

import type { StorageState } from "../../database/storage.ts";
import { HttpError } from "../errors/api-error.ts";

/** Throws HttpError unavailable while there is no space. */
export function refuseWhenFull(storage: StorageState | undefined): void {
  if (storage?.isFull === true) throw new HttpError("unavailable", { why: "the database is out of space" });
}

/** Whether the operation, named by its operationId, creates permanent rows. */
export function takesSpace(method: string, operationId: string): boolean {
  return method === "POST" && /^(add|create|launch|test|resend)[A-Z]/.test(operationId);
}
