// Quotes a value as one word of a POSIX shell. Used for every value in the boot script, the secrets file and .env.
// Invariant: the result is one word for any input. Within single quotes a shell takes every byte literally, also
// newlines, so only the single quote needs escaping.

/** The value in single quotes. Throws "BUG: …", without the value, if no shell can hold it (NUL, half a surrogate pair). */
export function shellQuote(value: string): string {
  if (value.includes("\0")) throw new Error("BUG: a value with a NUL byte cannot be quoted for a shell");
  if (!value.isWellFormed()) throw new Error("BUG: a value with half of a surrogate pair cannot be quoted for a shell");
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** The value's UTF-8 bytes as quoted Base64, for `base64 -d` in the guest. */
export function base64Quote(value: string): string {
  return shellQuote(Buffer.from(value, "utf8").toString("base64"));
}
