// The fonts of invoices, which are embedded: Open Sans (SIL Open Font License), with Latin, Greek and Cyrillic letters. Other
// letters are shown as boxes. Used by pdf.ts. In a package they are compressed, beside the packages (packaging/fonts.ts).

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export type Weight = "400Regular" | "700Bold";

const read = new Map<Weight, Buffer>();

/** TrueType. Read once. */
export function fontOf(weight: Weight): Buffer {
  const known = read.get(weight);
  if (known !== undefined) return known;
  const file = `OpenSans_${weight}.ttf`;
  const packed = new URL(`../../../vendor/fonts/${file}.gz`, import.meta.url);
  const font = existsSync(packed)
    ? gunzipSync(readFileSync(packed))
    : readFileSync(fileURLToPath(import.meta.resolve(`@expo-google-fonts/open-sans/${weight}/${file}`)));
  const plain = withoutLayout(font);
  read.set(weight, plain);
  return plain;
}

/** Tables of kerning and ligatures: reading them takes most of the time that a document takes. */
const layout = ["GPOS", "GSUB", "GDEF", "DSIG"];

/** The font with a directory that does not name those tables; what it names stays where it is. */
function withoutLayout(font: Buffer): Buffer {
  const count = font.readUInt16BE(4);
  const entries = Array.from({ length: count }, (_, index) => font.subarray(12 + 16 * index, 28 + 16 * index));
  const kept = entries.filter((entry) => !layout.includes(entry.toString("latin1", 0, 4)));
  const plain = Buffer.from(font);
  plain.writeUInt16BE(kept.length, 4);
  for (const [index, entry] of kept.entries()) entry.copy(plain, 12 + 16 * index);
  return plain;
}
