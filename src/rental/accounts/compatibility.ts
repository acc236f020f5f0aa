// The versions of the reference interface that a token may be pinned to, for clients that refuse unknown or missing fields.
// Single source: what the control API takes, the database's CHECK (a test holds the two together) and http/compatibility.ts.
// A pin is chosen when a token is made and never changes, so what was answered to a token says what it will be answered.

export const compatibilityVersions = ["1.0.3"] as const;

/** 1.0.3: variant R exactly as the specification shows it. */
export type CompatibilityVersion = (typeof compatibilityVersions)[number];

/** What the column tokens.compatibility_version says; null: the current edition. */
export function asCompatibilityVersion(word: string | null): CompatibilityVersion | null {
  return compatibilityVersions.find((version) => version === word) ?? null;
}
