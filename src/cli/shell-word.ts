// A word as a POSIX shell reads it back. Pure; used where a command is shown that can be copied.

/** Quoted where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
