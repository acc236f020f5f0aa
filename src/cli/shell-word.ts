// Quotes a word for a POSIX shell. Pure; used for commands that are shown to be copied.

/** Quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
