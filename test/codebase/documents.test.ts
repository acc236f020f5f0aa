import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { pictures } from "../../docs/pictures.ts";
import { pages, rendered } from "../../docs/tables.ts";

const root = resolve(import.meta.dirname, "../..");
/** The checkout's folder, and those of tools, each of which has a package.json and a lock file. */
const installable = [
  ".",
  ...readdirSync(join(root, "tools"), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => join("tools", name)),
];

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** What is named in a folder's package.json, with the version. */
function directDependencies(folder: string): [name: string, version: string][] {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap((some) =>
    Object.entries(some ?? {}),
  );
}

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];

describe("a page with tables of the code", () => {
  it.each([...pages])("%s has them as they are now (npm run docs writes them)", (page, tables) => {
    const written = readFileSync(page, "utf8");
    expect(rendered(written, tables)).toBe(written);
  });
});

describe("a picture that is made", () => {
  it.each([...pictures])("%s is as its source is now (npm run docs writes it)", (file, make) => {
    expect(readFileSync(file).equals(make())).toBe(true);
  });
});

describe("docs/contributing", () => {
  it("says of every dependency what it saves", () => {
    const text = readFileSync(join(root, "docs/contributing/dependencies.md"), "utf8");
    const names = installable.flatMap(directDependencies).map(([name]) => name);
    const told = (name: string) =>
      text.includes(name) || text.includes(`-${name.split("-").at(-1)}`) || name.startsWith("@types/");
    expect(names.filter((name) => !told(name))).toEqual([]);
  });

  it("names every module", () => {
    const text = readFileSync(join(root, "docs/contributing/modules.md"), "utf8");
    const modules = readdirSync(join(root, "src"), { withFileTypes: true }).map((one) =>
      one.isDirectory() ? `${one.name}/` : one.name,
    );
    expect(modules.filter((name) => !name.endsWith(".test.ts") && !text.includes(name))).toEqual([]);
  });
});

describe("every document", () => {
  /** Without tables that are made from the code, and without code. */
  const prose = (text: string) =>
    text.replaceAll(/<!-- generated: [\s\S]*?<!-- end -->/g, "").replaceAll(/^```[\s\S]*?^```$/gm, "");
  const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

  it.each(documents)("%s has at most 1,500 words, and 120 in a paragraph, an item or a row", (file) => {
    const text = prose(readFileSync(join(root, file), "utf8"));
    expect(wordsOf(text)).toBeLessThanOrEqual(1500);
    const parts = text.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=\|)/);
    expect(parts.filter((part) => wordsOf(part) > 120)).toEqual([]);
  });

  it("has one title, and its own", () => {
    const titles = documents.map((file) => prose(readFileSync(join(root, file), "utf8")).match(/^# .*$/gm) ?? []);
    expect(titles.filter((one) => one.length !== 1)).toEqual([]);
    expect(new Set(titles.flat()).size).toBe(documents.length);
  });
});

describe("package.json", () => {
  it.each(installable)("of %s pins every version exactly", (folder) => {
    const versions = directDependencies(folder).map(([, version]) => version);
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe("package-lock.json", () => {
  it.each(installable)(
    "of %s has an entry for every optional package of every platform: npm 11 refuses a lock file that leaves some out",
    (folder) => {
      const lock: { packages: Record<string, { optionalDependencies?: object }> } = JSON.parse(
        readFileSync(join(root, folder, "package-lock.json"), "utf8"),
      );
      const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
        Object.keys(optionalDependencies ?? {}).filter(
          (name) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
        ),
      );
      expect(missing).toEqual([]);
    },
  );
});

describe("a link in a document", () => {
  for (const file of documents) {
    it(`of ${file} leads to a file that exists`, () => {
      const text = readFileSync(join(root, file), "utf8");
      const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
      const wrong = targets.filter((target) => !existsSync(join(root, file, "..", target)));
      expect(wrong).toEqual([]);
    });
  }
});
