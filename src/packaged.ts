// Whether this is the compiled program of a package, or the sources of a checkout. Invariant: both have the same files in
// the same folders (packaging/build.ts), dist/ in place of src/; what differs is what a person types and where data is kept
// when nothing says. Used by database/data-directory.ts and startup/banner.ts.

/** A package holds JavaScript alone, and a checkout runs its TypeScript. */
export const packaged = import.meta.filename.endsWith(".js");
