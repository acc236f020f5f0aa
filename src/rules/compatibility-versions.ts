// The API versions that a token can be pinned to, for clients whose types differ from the current interfaces. Single
// source for the control API, the choices of the command line and the console, the database's CHECK (a test compares
// them), and what http/api/compatibility.ts does for each.
// Invariant: a pin is set when a token is created and never changes, so earlier responses predict later ones.

/** Each version, and its description. */
export const compatibilityVersionNotes = {
  "1.0.3":
    "For clients that reject unknown or missing fields: the reference interface and its lambda edition respond in exactly the shapes of version 1.0.3.",
  "vendor-1.0":
    "For clients generated from the vendor's own document: the direct interface responds with that document's types (passwords and prices as strings, discounts as fractions), and a restart there reboots a running instance.",
} as const;

/** 1.0.3: variant R exactly as in the specification. vendor-1.0: variant D with its vendor's types. */
export type CompatibilityVersion = keyof typeof compatibilityVersionNotes;

/** In the order of lists. */
export const compatibilityVersions = Object.keys(compatibilityVersionNotes) as readonly CompatibilityVersion[];

/** The value of tokens.compatibility_version; null: the current edition. */
export function asCompatibilityVersion(word: string | null): CompatibilityVersion | null {
  return compatibilityVersions.find((version) => version === word) ?? null;
}
