// The rules of the house for the web console (console/): what holds for src/, and what it may import of it.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const files = readdirSync(join(root, "console"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(tsx?|css|html)$/.test(file))
  .sort();
const read = (file: string) => readFileSync(join(root, "console", file), "utf8");
const isTest = (file: string) => /\.test\.tsx?$/.test(file);

/** Comments in the language of the file. */
const opens: Readonly<Record<string, RegExp>> = {
  ts: /^\/\/ /,
  tsx: /^\/\/ /,
  css: /^\/\* /,
  html: /^<!doctype html>\n<!-- /,
};

describe("a file of the console", () => {
  for (const file of files) {
    it(`${file} opens by saying what it is`, () => {
      expect(read(file)).toMatch(opens[file.split(".").at(-1) ?? ""] ?? /$^/);
    });
  }

  it("has no default export, no `any`, and no suppressed type error", () => {
    const wrong = files.filter(
      (file) =>
        file !== "vite.config.ts" &&
        /^export default|\bas any\b|: any\b|@ts-(ignore|expect-error|nocheck)/m.test(read(file)),
    );
    expect(wrong).toEqual([]);
  });

  it("imports nothing of the service but the client, and the rules", () => {
    const wrong = files
      .filter((file) => /\.tsx?$/.test(file) && !isTest(file))
      .flatMap((file) =>
        [...read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, specifier = ""]) => ({
          file,
          to: relative(root, resolve(root, "console", file, "..", specifier)),
        })),
      )
      .filter(({ to }) => !/^(console|src\/rules|src\/client)\//.test(to));
    expect(wrong).toEqual([]);
  });

  it("shows moments and numbers through shared/ alone, so that all pages write them alike", () => {
    const sources = files.filter((file) => /^src\/.*\.tsx?$/.test(file) && !isTest(file));
    const writesItself = /\.toLocale(Date|Time)?String\(|\bIntl\.(DateTime|Number|RelativeTime)Format/;
    expect(sources.filter((file) => writesItself.test(read(file)))).toEqual([
      "src/shared/axis-ticks.ts",
      "src/shared/format-number.ts",
      "src/shared/format-time.ts",
    ]);
    // A moment without the component would lack what is seen on hover.
    const writesMoments = /import \{[^}]*\b(relative|exactly)\b[^}]*\} from "[^"]*format-time\.ts"/;
    expect(sources.filter((file) => writesMoments.test(read(file)))).toEqual(["src/shared/time.tsx"]);
  });

  it("brings no style or markup that the Content-Security-Policy refuses", () => {
    // Mantine writes a <style> for these; their places are CSS modules.
    const writesStyle =
      /\b(AppShell|SimpleGrid|Grid)\b.*from "@mantine\/core"|dangerouslySetInnerHTML|visibleFrom=|hiddenFrom=|\w+=\{\{ base:/;
    expect(files.filter((file) => /\.tsx?$/.test(file) && writesStyle.test(read(file)))).toEqual([]);
  });
});
