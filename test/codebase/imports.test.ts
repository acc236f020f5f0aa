// Which module may import which (docs/contributing/modules.md). A new module must be entered here first.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/**
 * Every module, and the modules it may import, or the one file of a module; any may import `rules`. Files directly under
 * src/ are modules of their own.
 */
const mayImport: Record<string, readonly string[]> = {
  "main.ts": ["program.ts"],
  "program.ts": ["server.ts", "start-sequence.ts", "config.ts", "cli", "operator", "startup"],
  "server.ts": ["start-sequence.ts", "composition.ts", "config.ts", "config", "engines", "log.ts", "startup"],
  "start-sequence.ts": ["composition.ts", "config.ts", "config", "settings", "database", "log.ts", "startup", "cli"],
  // Composes everything, so it may know everything but the entry point.
  "composition.ts": [
    "config.ts",
    "log.ts",
    "database",
    "rental",
    "engines",
    "reconciler",
    "metrics",
    "encryption",
    "fencing",
    "gpus",
    "payments",
    "http",
    "startup",
  ],
  startup: ["config.ts", "config/interfaces.ts", "database", "rental", "secrets", "packaged.ts"],
  "config.ts": ["config", "engines", "settings"],
  // Each kind of engine says what its settings are (engines/kinds.ts).
  config: ["secrets", "engines", "settings"],
  settings: [],
  // Its settings.
  fencing: ["config/fencing.ts", "config/host-commands.ts", "commands"],
  gpus: ["config/host-commands.ts", "commands"],
  commands: [],
  "log.ts": ["log-output.ts"],
  "log-output.ts": [],
  "packaged.ts": [],
  secrets: [],
  rules: [],
  // What runs machines knows the database only where it keeps a database of its own (simulated).
  database: ["packaged.ts"],
  rental: ["database", "secrets"],
  // What payments are at their provider; each provider is in a folder of its own.
  payments: ["rental", "database"],
  engines: [
    ...["database", "settings", "gpus/helper.ts", "gpus/helper-codes.ts"],
    // A simulated machine that validates GPUs reads and prints what a real one would.
    ...["gpus/validation/request.ts", "gpus/validation/verdict.ts"],
  ],
  // Counts for http and the reconciler, and reads what the database knows.
  metrics: ["database", "rental"],
  reconciler: [
    ...["rental", "engines", "gpus/helper.ts", "gpus/partitions.ts", "gpus/validation/request.ts"],
    ...["gpus/validation/verdict.ts", "metrics", "database", "secrets", "log.ts", "payments"],
  ],
  // Which servers there are, and what they agree on about keys.
  replicas: ["database", "rental", "log.ts"],
  encryption: ["replicas", "rental", "database", "secrets", "log.ts"],
  http: [
    ...["rental", "encryption", "replicas", "metrics", "mcp", "database", "secrets", "config.ts", "log.ts"],
    ...["config/interfaces.ts", "engines/kinds.ts", "fencing", "payments"],
  ],
  // A client of the interfaces, wherever it runs.
  mcp: [],
  // What customers import: it comes with nothing of the service.
  client: [],
  images: [],
  // For the spelling of names (did-you-mean.ts), and for what is made on this machine.
  cli: ["client", "config", "images", "mcp"],
  backup: ["database"],
  operator: ["config.ts", "settings", "engines", "gpus", "backup", "database", "secrets", "startup"],
};

/** The folders of interfaces in http, found by their interface.ts, and the console's. None imports another; all may use the rest. */
const interfaces = readdirSync(join(src, "http"), { withFileTypes: true })
  .filter((folder) => folder.isDirectory() && isInterface(folder.name))
  .map(({ name }) => name);
const interfaceExceptions = new Set(["lambda imports reference"]);

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typesOnly: boolean;
  /** Not loaded with the file, but when it is asked for. */
  readonly later: boolean;
}

function isInterface(folder: string): boolean {
  return folder === "console" || existsSync(join(src, "http", folder, "interface.ts"));
}

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

/** Of the modules, their tests, the console and the documents. */
function everyFile(): string[] {
  const root = resolve(src, "..");
  return ["src", "test", "console", "docs", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }),
  );
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const found = text.matchAll(/(?:(?:^(?:import|export) (type )?[^;"]*?)?from|import)\s*(\(?)\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found].map(([, type, later, specifier = ""]) => ({
    from: file,
    to: relative(src, resolve(src, file, "..", specifier)),
    typesOnly: type !== undefined,
    later: later !== "",
  }));
}

const moduleOf = (file: string): string => file.split("/")[0] ?? "";
const interfaceOf = (file: string): string | undefined => interfaces.find((name) => file.startsWith(`http/${name}/`));
const isTest = (file: string): boolean => file.endsWith(".test.ts");

const files = sourceFiles();
const imports = files.filter((file) => !isTest(file)).flatMap(importsOf);

describe("imports", () => {
  it("are known of every module", () => {
    expect(
      [...new Set(files.filter((file) => !isTest(file)).map(moduleOf))].filter((name) => !(name in mayImport)),
    ).toEqual([]);
  });

  it("run one way only", () => {
    const wrong = imports
      .filter(
        ({ from, to }) =>
          moduleOf(from) !== moduleOf(to) &&
          moduleOf(to) !== "rules" &&
          !(mayImport[moduleOf(from)] ?? []).some((allowed) => allowed === moduleOf(to) || allowed === to),
      )
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it("keep the interfaces apart", () => {
    const wrong = imports.filter(({ from, to }) => {
      const [mine, theirs] = [interfaceOf(from), interfaceOf(to)];
      if (theirs === undefined || mine === theirs) return false;
      // http's own composition mounts them all.
      return mine !== undefined && !interfaceExceptions.has(`${mine} imports ${theirs}`);
    });
    expect(wrong).toEqual([]);
  });

  it("keep the console to the rest of http, and what that uses", () => {
    const modules = new Set(["http", "rental", "rules", "database", "secrets"]);
    const own = imports.filter(({ from }) => interfaceOf(from) === "console");
    const wrong = own.filter(
      ({ to, typesOnly: types }) => !modules.has(moduleOf(to)) && !(types && to === "config/interfaces.ts"),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("are found in every module that may have some", () => {
    for (const name of Object.keys(mayImport).filter((one) => (mayImport[one] ?? []).length > 0)) {
      expect(imports.filter(({ from }) => moduleOf(from) === name).length, name).toBeGreaterThan(0);
    }
  });
});

describe("the kinds of engines", () => {
  it("bring their settings with them, and no engine: that is loaded where one is opened", () => {
    const loaded = new Set(["engines/kinds.ts"]);
    for (const file of loaded) {
      for (const one of imports.filter(({ from }) => from === file))
        if (!one.typesOnly && !one.later) loaded.add(one.to);
    }
    const known = /^(settings\/|engines\/(kinds\.ts$|[^/]+\/kind\.ts$|settings\/|[^/]+\/settings(\/|\.ts$)))/;
    expect([...loaded].filter((file) => !known.test(file))).toEqual([]);
    expect(loaded.size).toBeGreaterThan(10);
  });
});

describe("the rules", () => {
  it("import nothing but each other, and run in a browser", () => {
    const own = files.filter((file) => file.startsWith("rules/") && !isTest(file));
    expect(imports.filter(({ from, to }) => moduleOf(from) === "rules" && moduleOf(to) !== "rules")).toEqual([]);
    expect(
      own.filter((file) => /from "[^.]|\bBuffer\b|\bprocess\./.test(readFileSync(join(src, file), "utf8"))),
    ).toEqual([]);
  });
});

describe("a source file", () => {
  it("opens by saying what it is", () => {
    const opens = (file: string) => /^(#!.*\n)?\/\/ /.test(readFileSync(join(src, file), "utf8"));
    expect(files.filter((file) => !isTest(file) && !opens(file))).toEqual([]);
  });

  it("exports what is its own: none is an index of others", () => {
    const wrong = files.filter((file) => /^export .* from "/m.test(readFileSync(join(src, file), "utf8")));
    // What a customer's program imports is one file (package.json).
    expect(wrong).toEqual(["client/client.ts"]);
    expect(files.filter((file) => basename(file) === "index.ts")).toEqual([]);
  });

  it("names in its comments only files that exist", () => {
    const known = new Set(everyFile().map((file) => basename(file)));
    const wrong = files.flatMap((file) =>
      readFileSync(join(src, file), "utf8")
        .split("\n")
        .filter((line) => /^\s*(\/\/|\*|\/\*\*)/.test(line))
        .flatMap((line) => [...line.matchAll(/(?<![\w./-])(?:[\w.-]+\/)*([\w-][\w.-]*\.tsx?)\b/g)])
        .filter(([, name = ""]) => !known.has(name))
        .map(([path]) => `${file} names ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no default export, no `any`, and no suppressed type error", () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(join(src, file), "utf8");
      return /^export default|\bas any\b|: any\b|@ts-(ignore|expect-error|nocheck)/m.test(text);
    });
    expect(wrong).toEqual([]);
  });
});
