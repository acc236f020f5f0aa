// The instruction sets that machines have. An instance type has one and an image is made for one; the two go together at
// a launch. Used by the stores of both, by launches and by the interfaces' schemas; the database's CHECKs say the same.

export const architectures = ["x86_64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** That of whatever does not say another one. */
export const defaultArchitecture: Architecture = "x86_64";

/** Narrows a stored word. Throws "BUG: …" for any other, which the database's CHECK makes impossible. */
export function asArchitecture(word: string): Architecture {
  const known = architectures.find((one) => one === word);
  if (known === undefined) throw new Error(`BUG: unknown architecture ${JSON.stringify(word)}`);
  return known;
}
