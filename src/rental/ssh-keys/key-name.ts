// The rule for names of SSH keys. Source: decisions, SSH keys. Used by ssh-keys.ts. A space at the start or the
// end is rejected, not removed: launches name keys exactly, and it would be invisible.

export const mostKeyNameCharacters = 64;
const characters = new RegExp(`^[A-Za-z0-9 ._@-]{1,${mostKeyNameCharacters}}$`);

/** The whole rule as one pattern, for the documents. */
export const keyNamePattern = "^[A-Za-z0-9._@-]([A-Za-z0-9 ._@-]*[A-Za-z0-9._@-])?$";

/** What is wrong with a key's name, in a sentence; undefined: nothing. */
export function checkKeyName(name: string): string | undefined {
  if (!characters.test(name)) {
    return 'Give a name of 1 to 64 letters (A to Z), digits, spaces, ".", "_", "@" and "-".';
  }
  if (name.startsWith(" ") || name.endsWith(" ")) return "The name must not begin or end with a space.";
  return undefined;
}
