// The rule for the name of an SSH key. Source: decisions, SSH keys. Used by ssh-keys/index.ts.
// A space at the start or the end is refused, not removed: launches name keys exactly, and nobody would see it.

/** What is wrong with a key's name, in a sentence; undefined: nothing. */
export function checkKeyName(name: string): string | undefined {
  if (!/^[A-Za-z0-9 ._@-]{1,64}$/.test(name)) {
    return 'Give a name of 1 to 64 letters (A to Z), digits, spaces, ".", "_", "@" and "-".';
  }
  if (name.startsWith(" ") || name.endsWith(" ")) return "The name must not begin or end with a space.";
  return undefined;
}
