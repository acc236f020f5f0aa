import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, rendered } from "../../docs/tables.ts";

const root = resolve(import.meta.dirname, "../..");
const manifest: { dependencies: object; devDependencies: object; optionalDependencies: object } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

describe("a page with tables of the code", () => {
  it.each([...pages])("%s has them as they are now (npm run docs writes them)", (page, tables) => {
    const written = readFileSync(page, "utf8");
    expect(rendered(written, tables)).toBe(written);
  });
});

describe("docs/architecture.md", () => {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");

  it("says of every dependency what it saves", () => {
    const names = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap((some) =>
      Object.keys(some),
    );
    const told = (name: string) =>
      text.includes(name) || text.includes(`-${name.split("-").at(-1)}`) || name.startsWith("@types/");
    expect(names.filter((name) => !told(name))).toEqual([]);
  });

  it("names every room of the house", () => {
    const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).map((one) =>
      one.isDirectory() ? `${one.name}/` : one.name,
    );
    expect(rooms.filter((room) => !room.endsWith(".test.ts") && !text.includes(room))).toEqual([]);
  });
});

describe("package.json", () => {
  it("pins every version exactly", () => {
    const versions = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap((some) =>
      Object.values(some),
    );
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe("package-lock.json", () => {
  it("has an entry for every optional package of every platform: npm 11 refuses a lock file that leaves some out", () => {
    const lock: { packages: Record<string, { optionalDependencies?: object }> } = JSON.parse(
      readFileSync(join(root, "package-lock.json"), "utf8"),
    );
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe("a link in a document", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`),
  ];
  for (const file of documents) {
    it(`of ${file} leads to a file that exists`, () => {
      const text = readFileSync(join(root, file), "utf8");
      const targets = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
      const wrong = targets.filter((target) => !existsSync(join(root, file, "..", target)));
      expect(wrong).toEqual([]);
    });
  }
});
