// The version of this program, from package.json. Used by composition.ts, server.ts and program.ts.

import { readFileSync } from "node:fs";

export function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return version;
}
