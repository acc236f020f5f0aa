// Whether this is the compiled program of a package, or the sources of a checkout. Invariant: both have the same files
// in the same folders (packaging/build.ts), dist/ in place of src/; they differ in the command that people type and the
// default data directory. Used by database/data-directory.ts and startup/banner.ts.

/** A package has only JavaScript; a checkout runs its TypeScript. */
export const packaged = import.meta.filename.endsWith(".js");
