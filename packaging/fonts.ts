// The fonts of invoices, as a package has them: compressed in dist/vendor/fonts, where http/control/invoices/fonts.ts reads
// them, with their license. Used by build.ts.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** `packages`: the folder node_modules. */
export function copyFonts(packages: string, dist: string): void {
  const from = join(packages, "@expo-google-fonts/open-sans");
  const to = join(dist, "vendor/fonts");
  mkdirSync(to);
  for (const weight of ["400Regular", "700Bold"]) {
    const file = `OpenSans_${weight}.ttf`;
    writeFileSync(join(to, `${file}.gz`), gzipSync(readFileSync(join(from, weight, file)), { level: 9 }));
  }
  cpSync(join(from, "LICENSE_FONT"), join(to, "LICENSE.txt"));
}
