// What is refused while the database is out of space: whatever creates rows, before it takes what is left. What ends or
// changes something goes on, on the reserve (database/embedded/disk-reserve.ts). Used by operations.ts.
// Invariant: nothing that stops, terminates, deletes or revokes is refused here.

import type { StorageState } from "../../database/storage.ts";
import { HttpError } from "../errors/api-error.ts";

/** Throws HttpError unavailable while there is no space. */
export function refuseWhenFull(storage: StorageState | undefined): void {
  if (storage?.isFull === true) throw new HttpError("unavailable", { why: "the database is out of space" });
}

/** Whether the operation creates rows that stay, by its operationId. */
export function takesSpace(method: string, operationId: string): boolean {
  return method === "POST" && /^(add|create|launch|test|resend)[A-Z]/.test(operationId);
}
