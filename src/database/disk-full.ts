// Tells "the database is out of space to write" from every other error. Used by connect.ts, which reports it
// (storage.ts), and by unavailable.ts: such an error is a 503, never a defect.

/** True if a file could not grow: the disk or a quota is full. The statement has had no effect. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  if (code !== undefined && codes.has(code)) return true;
  // PostgreSQL: io_error is ambiguous. Its message ends with the operating system's, in English (lc_messages).
  if (code === "58030" && /No space left on device|Disk quota exceeded|could not extend file/.test(error.message)) {
    return true;
  }
  return isDiskFull(cause);
}

const codes: ReadonlySet<string> = new Set(["53100", "ENOSPC", "EDQUOT"]);
