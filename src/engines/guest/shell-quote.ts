// One value as one word of a POSIX shell. Used wherever a value enters the boot script, the secrets file or .env.
// Invariant: what comes out is one word whatever comes in. Between single quotes a shell takes every byte as it is,
// newlines too, so only the single quote itself is written otherwise.

/** The value in single quotes. Throws "BUG: …", without the value, where no shell can hold it (NUL, half a character). */
export function shellQuote(value: string): string {
  if (value.includes("\0")) throw new Error("BUG: a value with a NUL byte cannot be quoted for a shell");
  if (!value.isWellFormed()) throw new Error("BUG: a value with half of a surrogate pair cannot be quoted for a shell");
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** The value's UTF-8 bytes as Base64, quoted: for values that `base64 -d` is to give back in the guest. */
export function base64Quote(value: string): string {
  return shellQuote(Buffer.from(value, "utf8").toString("base64"));
}
