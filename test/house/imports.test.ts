// The house's one-way rule (docs/architecture.md): which room may import which. A new room must be entered here first.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/** Every room, and the rooms it may import. Files directly under src/ are rooms of their own. */
const mayImport: Record<string, readonly string[]> = {
  "main.ts": ["program.ts"],
  "program.ts": ["server.ts", "config.ts", "cli", "operator", "startup"],
  "server.ts": ["composition.ts", "config.ts", "log.ts", "fulfilment", "startup"],
  // Composes everything, so it may know everything but the door.
  "composition.ts": [
    "config.ts",
    "log.ts",
    "database",
    "rental",
    "engines",
    "fulfilment",
    "metrics",
    "encryption",
    "http",
    "startup",
    "cli",
  ],
  startup: ["config.ts", "database", "rental", "secrets", "packaged.ts"],
  "config.ts": ["config"],
  config: ["secrets", "spelling.ts"],
  "log.ts": ["log-output.ts"],
  "log-output.ts": [],
  "spelling.ts": [],
  "packaged.ts": [],
  "env-vars.ts": [],
  "compatibility-versions.ts": [],
  "gpu-memory.ts": [],
  "fewer-at-once.ts": [],
  "relative-time.ts": [],
  secrets: [],
  // What runs machines knows the database only where it keeps a world of its own there (simulated).
  database: ["packaged.ts"],
  rental: ["database", "secrets", "spelling.ts", "env-vars.ts", "compatibility-versions.ts"],
  // From the configuration types alone (typesOnly): an engine is handed its settings, and says nothing of them again.
  engines: ["database", "config.ts"],
  // Counts for http and fulfilment, and reads what the database knows.
  metrics: ["database", "rental"],
  fulfilment: ["rental", "engines", "metrics", "database", "secrets", "log.ts"],
  // Which servers there are, and what they agree on about keys.
  replicas: ["database", "rental", "log.ts"],
  encryption: ["replicas", "rental", "database", "secrets", "log.ts"],
  http: [
    "rental",
    "encryption",
    "replicas",
    "metrics",
    "mcp",
    "database",
    "secrets",
    "config.ts",
    "log.ts",
    "spelling.ts",
    "fewer-at-once.ts",
  ],
  // A client of the interfaces, wherever it runs.
  mcp: [],
  // What customers import: it comes with nothing of the service.
  client: [],
  images: [],
  // For the spelling of names (did-you-mean.ts), and for what is made on this machine.
  cli: [
    "client",
    "config",
    "images",
    "mcp",
    "env-vars.ts",
    "compatibility-versions.ts",
    "gpu-memory.ts",
    "fewer-at-once.ts",
    "relative-time.ts",
  ],
  backup: ["database"],
  operator: ["config.ts", "engines", "backup", "database", "secrets", "startup"],
};

/** Between these rooms only `import type` and `export type`, which are gone when the program runs. */
const typesOnly = new Set(["engines imports config.ts"]);

/** Written by a generator (npm run client), as long as its source is. */
const generated = new Set(["client/control-api.ts"]);

/** Inside http: a variant never imports another variant; all may use the core. */
const variants = ["marketplace", "direct", "reference", "lambda", "control", "console"];
const variantExceptions = new Set(["lambda imports reference"]);

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typesOnly: boolean;
}

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const found = text.matchAll(/(?:(?:^(?:import|export) (type )?[^;"]*?)?from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, type, specifier = ""]) => ({
    from: file,
    to: relative(src, resolve(src, file, "..", specifier)),
    typesOnly: type !== undefined,
  }));
}

const room = (file: string): string => file.split("/")[0] ?? "";
const variant = (file: string): string | undefined => variants.find((name) => file.startsWith(`http/${name}/`));
const isTest = (file: string): boolean => file.endsWith(".test.ts");

const files = sourceFiles();
const imports = files.filter((file) => !isTest(file)).flatMap(importsOf);

describe("the house", () => {
  it("has no room that the rule does not know", () => {
    expect(
      [...new Set(files.filter((file) => !isTest(file)).map(room))].filter((name) => !(name in mayImport)),
    ).toEqual([]);
  });

  it("imports one way only", () => {
    const wrong = imports
      .filter(({ from, to }) => room(from) !== room(to) && !(mayImport[room(from)] ?? []).includes(room(to)))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it("hands some rooms types and nothing that runs", () => {
    const marked = imports.filter(({ from, to }) => typesOnly.has(`${room(from)} imports ${room(to)}`));
    expect(marked.filter((one) => !one.typesOnly).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
    expect(new Set(marked.map(({ from, to }) => `${room(from)} imports ${room(to)}`))).toEqual(typesOnly);
  });

  it("keeps the variants apart", () => {
    const wrong = imports.filter(({ from, to }) => {
      const [mine, theirs] = [variant(from), variant(to)];
      if (theirs === undefined || mine === theirs) return false;
      // http's own composition mounts them all.
      return mine !== undefined && !variantExceptions.has(`${mine} imports ${theirs}`);
    });
    expect(wrong).toEqual([]);
  });

  it("keeps the console to the core of http, and what that rests on", () => {
    const rooms = new Set(["http", "rental", "database", "secrets"]);
    const own = imports.filter(({ from }) => variant(from) === "console");
    const wrong = own.filter(
      ({ to, typesOnly: types }) => !rooms.has(room(to)) && !(types && room(to) === "config.ts"),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("has an import for the rule to look at in every room that may import", () => {
    for (const name of Object.keys(mayImport).filter((one) => (mayImport[one] ?? []).length > 0)) {
      expect(imports.filter(({ from }) => room(from) === name).length, name).toBeGreaterThan(0);
    }
  });
});

describe("a source file", () => {
  for (const file of files) {
    const text = readFileSync(join(src, file), "utf8");
    it(`${file} is at most 500 lines${isTest(file) ? "" : " and opens by saying what it is"}`, () => {
      if (!generated.has(file)) expect(text.split("\n").length).toBeLessThanOrEqual(500);
      if (!isTest(file)) expect(text).toMatch(/^(#!.*\n)?\/\/ /);
    });
  }

  it("has no default export, no `any`, and no suppressed type error", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(join(src, file), "utf8");
      return /^export default|\bas any\b|: any\b|@ts-(ignore|expect-error|nocheck)/m.test(text);
    });
    expect(wrong).toEqual([]);
  });
});
