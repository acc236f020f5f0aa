// Every command line of README.md and docs/ runs here, against a real service and as a reader would type it, or stands in
// not-run.ts with the reason why it cannot. So no document shows a command that does not work, and no list outlives the
// document it was made for.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lessor, startLessor } from "../../support/lessor.ts";
import { type StartedOnce, startedOnce } from "../../support/started-once.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { fitted, type Here, Ids, shapeOf } from "./fitting.ts";
import { beginnings, lines, programs } from "./not-run.ts";
import { type Command, type Item, isWhole, itemsOf, pages, root } from "./pages.ts";
import { type Ran, type Shell, startShell } from "./shell.ts";

const run = promisify(execFile);
const all = pages();
const commands = all.flatMap(({ items }) => items.filter((item): item is Command => "text" in item));

/** A command without the comment behind it. */
const bare = (text: string) => text.replace(/\s+#(?![^\n]*['"]).*$/, "").trim();

/** The programs of a command, as far as the rules go: the first word of each part. */
function programsOf(text: string): string[] {
  const parts = bare(text).matchAll(
    /(?:^|&&|\|\|?|;|\$\(|-- )\s*(?:sudo |env )?(?:\w+=\S*\s+)*([\w.-]+)(?: ([a-z]+))?/g,
  );
  return [...parts].flatMap(([, program = "", word = ""]) => [program, `${program} ${word}`]);
}

/** The rules by which a command is not run; none: it is run. */
function rulesFor({ text }: Command): string[] {
  return [
    ...programsOf(text).filter((program) => Object.hasOwn(programs, program)),
    ...[bare(text)].filter((line) => Object.hasOwn(lines, line)),
    ...Object.keys(beginnings).filter((beginning) => text.startsWith(beginning)),
  ];
}

const whenOver: (() => unknown)[] = [];
const later = (work: () => unknown) => void whenOver.push(work);
afterAll(async () => {
  for (const work of whenOver.reverse()) await work();
});

let lessor: Lessor;
let began: StartedOnce;
beforeAll(async () => {
  began = await startedOnce(later);
  // Commands wait for instances.
  const settings = join(await temporaryDirectory(0o755, later), "lessor.yaml");
  writeFileSync(settings, "simulated: { boot_seconds: [0, 0.1], stop_seconds: [0, 0.1] }\n");
  lessor = await startLessor(began.directory, { LESSOR_CONFIG: settings }, later);
}, 180_000);

/** What an account of its own is given for each page, so that none finds what another left. */
async function hereFor(page: string, system: string): Promise<Here> {
  const control = lessor.shown("Control") ?? "";
  const operator = began.operatorToken;
  const make = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${operator}` };
    const answer = await fetch(`${control}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { data: { id: string; token: string } };
  };
  const account = await make("/accounts", { name: page });
  const { data: made } = await make(`/accounts/${account.data.id}/tokens`, { name: page, scopes: ["read", "write"] });
  const reference = new URL(lessor.shown("Reference, lambda edition") ?? "").origin;
  return { main: new URL(control).origin, reference, customer: made.token, operator, system };
}

interface Desk {
  readonly shell: Shell;
  readonly here: Here;
}

/** Where a reader of the page sits: a directory like a checkout, a home, and a system that is theirs. */
async function deskFor(page: string): Promise<Desk> {
  const base = await temporaryDirectory();
  const [work, home, prefix, system] = ["work", "home", "prefix", "system"].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [work, home, join(prefix, "bin"), join(prefix, "lib/node_modules")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const folder of [
    "etc/default",
    "etc/modprobe.d",
    "etc/initramfs-tools",
    "etc/systemd/system",
    "var/lib/lessor",
  ]) {
    mkdirSync(join(system, folder), { recursive: true });
  }
  mkdirSync(join(system, "usr/bin"), { recursive: true });
  writeFileSync(join(system, "etc/default/grub"), 'GRUB_CMDLINE_LINUX=""\n');
  symlinkSync(root, join(prefix, "lib/node_modules/lessor"));
  symlinkSync(join(root, "bin/lessor"), join(prefix, "bin/lessor"));
  cpSync(join(root, "examples"), join(work, "examples"), { recursive: true });
  cpSync(join(root, "packaging"), join(work, "packaging"), { recursive: true });
  // A reader's own catalogue is for hosts of theirs; this service has those of the demo.
  cpSync(join(root, "examples/demo-catalog.yaml"), join(work, "catalog.yaml"));
  const here = await hereFor(page, system);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LESSOR_|DATABASE_URL|npm_)/i.test(name));
  const shell = startShell(work, {
    ...Object.fromEntries(inherited),
    PATH: [join(prefix, "bin"), process.env.PATH].join(delimiter),
    HOME: home,
    npm_config_prefix: prefix,
    LESSOR_DATA_DIR: began.directory,
    LESSOR_URL: here.main,
  });
  return { shell, here };
}

/** Types the page in, and tells what did not work. */
async function walk(items: readonly Item[], { shell, here }: Desk): Promise<string[]> {
  const ids = new Ids();
  const wrong: string[] = [];
  let outputs: string[] = [];
  for (const item of items) {
    if ("answers" in item) {
      wrong.push(...differences(item.answers, outputs, item.line));
      ids.shown(item.answers.join("\n"), outputs.slice(-item.answers.length).join("\n"));
      outputs = [];
    } else if (rulesFor(item).length === 0) {
      const ran = await shell.run(fitted(item.text, here, ids));
      const problem = problemOf(ran);
      if (problem !== undefined) wrong.push(`${item.page}:${item.line}: ${item.text}\n  ${problem}`);
      ids.heard(ran.stdout);
      outputs.push(ran.stdout);
    }
  }
  return wrong;
}

/** curl ends well whatever it was answered, so the answer is looked at too. */
function problemOf({ status, stdout, stderr }: Ran): string | undefined {
  if (status !== 0) return `ended with ${status}: ${stderr || stdout}`;
  if (/"error":\s*\{/.test(stdout)) return `was refused: ${stdout}`;
  return undefined;
}

/** Where what a page shows as answers has other fields than the last answers there were. */
function differences(answers: readonly string[], outputs: readonly string[], line: number): string[] {
  return answers.flatMap((written, index) => {
    const real = outputs[outputs.length - answers.length + index];
    if (real === undefined) return [`line ${line}: no command has this answer: ${written}`];
    const [shown, given] = [shapeOf(JSON.parse(written)), shapeOf(JSON.parse(real))];
    // A list that is empty in a test, because a machine still boots, has no fields to compare.
    const same = isWithin(given, shown);
    return same ? [] : [`line ${line}: shown ${JSON.stringify(shown)}, answered ${JSON.stringify(given)}`];
  });
}

function isWithin(given: unknown, shown: unknown): boolean {
  if (Array.isArray(given) && Array.isArray(shown)) {
    return given.length === 0 || shown.length === 0 || isWithin(given[0], shown[0]);
  }
  if (typeof given !== "object" || typeof shown !== "object" || given === null || shown === null)
    return given === shown;
  const [one, other] = [Object.entries(given), new Map(Object.entries(shown))];
  return one.length === other.size && one.every(([key, value]) => other.has(key) && isWithin(value, other.get(key)));
}

describe("the commands of", () => {
  // docs/reference/cli.md runs some eighty programs, one after the other.
  it.each(all)("$name work as they are written", { timeout: 600_000 }, async ({ name, items }) => {
    const desk = await deskFor(name);
    try {
      expect(await walk(items, desk)).toEqual([]);
    } finally {
      await desk.shell.end();
    }
  });
});

describe("a command that cannot run here", () => {
  const notRun = commands.filter((command) => rulesFor(command).length > 0);

  it("names options that lessor has", { timeout: 180_000 }, async () => {
    const parts = notRun.flatMap(({ text }) => [
      ...bare(text).matchAll(/(?:^|&& |-- (?:env )?)(?:\w+=\S+ )*lessor((?: [a-z][\w-]*)+)([^&|;]*)/g),
    ]);
    const asked = new Map(parts.map(([all, words = "", rest = ""]) => [all.trim(), { words, rest }]));
    expect(asked.size).toBeGreaterThan(3);
    for (const [written, { words, rest }] of asked) {
      const path = words.trim().split(" ");
      const { stdout } = await run(join(root, "bin/lessor"), [...path, "--help"], {
        env: { ...process.env, COLUMNS: "100" },
      });
      expect(stdout, written).toContain(`lessor ${path[0]}`);
      const options = rest.match(/(?<=\s)--?[a-z][a-z-]*/g) ?? [];
      expect(
        options.filter((option) => !new RegExp(`(?<![\\w-])${option}(?![\\w-])`).test(stdout)),
        written,
      ).toEqual([]);
    }
  });

  it("is one that bash takes", () => {
    expect(notRun.filter(({ text }) => !isWhole(text))).toEqual([]);
  });

  it("is the smaller part", () => {
    expect(notRun.length).toBeLessThan(commands.length / 2);
  });

  it("has a rule that some document needs", () => {
    const used = new Set(notRun.flatMap(rulesFor));
    const known = [programs, lines, beginnings].flatMap((rules) => Object.keys(rules));
    expect(known.filter((rule) => !used.has(rule))).toEqual([]);
  });
});

describe("reading a page", () => {
  it("takes a command over several lines, and a here-document, as one", () => {
    const page = "```sh\n# not this\na \\\n  b # c\nd <<'X'\ne\nX\nf 'g\nh'\n```\n";
    const read = itemsOf("page", page).map((item) => ("text" in item ? [item.line, item.text] : []));
    expect(read).toEqual([
      [3, "a \\\n  b # c"],
      [5, "d <<'X'\ne\nX"],
      [8, "f 'g\nh'"],
    ]);
  });

  it("refuses a command that never ends", () => {
    expect(() => itemsOf("page", "```sh\nf 'g\n```\n")).toThrow(/page: a command is not whole/);
  });

  it("takes an answer for that of the commands right above it only", () => {
    const page = "```sh\na\n```\n```json\n{}\n```\n\nAnd:\n\n```json\n[]\n```\n";
    expect(itemsOf("page", page)).toEqual([
      { page: "page", line: 2, text: "a" },
      { answers: ["{}"], line: 5 },
    ]);
  });
});

describe("what a page shows as an answer", () => {
  it("has to have the fields of the real one, at any depth", () => {
    const differs = (shown: string, real: string) => differences([shown], [real], 1).length > 0;
    expect(differs('{"a": [{"b": 1}]}', '{"a": [{"b": 2}]}')).toBe(false);
    expect(differs('{"a": [{"b": 1}]}', '{"a": []}')).toBe(false);
    expect(differs('{"a": [{"b": 1}]}', '{"a": [{"b": "1"}]}')).toBe(true);
    expect(differs('{"a": [{"b": 1}]}', '{"a": [{"b": 1, "c": 2}]}')).toBe(true);
    expect(differs('{"a": 1, "b": 2}', '{"a": 1}')).toBe(true);
  });

  it("has to have ids of the same kind, and the sizes that instance types have", () => {
    const differs = (shown: unknown, real: unknown) =>
      differences([JSON.stringify(shown)], [JSON.stringify(real)], 1).length > 0;
    const [random, other] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(differs({ id: random }, { id: other })).toBe(false);
    expect(differs({ id: "01a1fc9e-73a1-7715-ba59-9b22f6140139" }, { id: random })).toBe(true);
    expect(differs({ specs: { storage_gib: 1303 } }, { specs: { storage_gib: 1303 } })).toBe(false);
    expect(differs({ specs: { storage_gib: 1400 } }, { specs: { storage_gib: 1303 } })).toBe(true);
  });
});

describe("a command that fails", () => {
  it("is told of, by its status or by the answer it was given", async () => {
    const { shell, here } = await deskFor("a page of mistakes");
    const items: Item[] = [
      { page: "page", line: 1, text: "false" },
      { page: "page", line: 2, text: "lessor aply -f catalog.yaml" },
      { page: "page", line: 3, text: "curl -s http://127.0.0.1:8080/control/v1/account -H 'Authorization: Bearer no'" },
      { page: "page", line: 4, text: "TOKEN=lessor_…" },
      { page: "page", line: 5, text: 'test "$TOKEN" = lessor_…' },
    ];
    const wrong = await walk(items, { shell, here });
    await shell.end();
    expect(wrong.map((line) => line.split(":")[1])).toEqual(["1", "2", "3"]);
  }, 60_000);
});
