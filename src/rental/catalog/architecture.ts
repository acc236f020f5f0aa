// Instruction sets. An instance type and an image have one each, which must match at launch. Used by the stores of
// both, by launches and by the interfaces' schemas; the database's CHECKs say the same.

export const architectures = ["x86_64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

export const defaultArchitecture: Architecture = "x86_64";

/** Throws "BUG: …" for an unknown stored value, which the database's CHECK prevents. */
export function asArchitecture(word: string): Architecture {
  const known = architectures.find((one) => one === word);
  if (known === undefined) throw new Error(`BUG: unknown architecture ${JSON.stringify(word)}`);
  return known;
}
