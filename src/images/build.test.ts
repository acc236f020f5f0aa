// Building an image, with tools that only pretend to; test/cluster/lab.test.ts starts machines of a real one.

import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { buildImage } from "./build.ts";
import { imageNames, recipeDigest, recipeOf } from "./recipe.ts";
import type { Rights } from "./rights.ts";
import type { Program } from "./run-tool.ts";

interface Call {
  name: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

let directory: string;
let temporary: string;
let calls: Call[];

beforeEach(async () => {
  directory = await temporaryDirectory();
  temporary = await temporaryDirectory();
  calls = [];
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Makes what the tools would make: a root with one file, and a tarball that holds the text of metadata.yaml. */
const pretend: Program = async (name, args, { env, output }) => {
  calls.push({ name, args, env });
  const root = args.find((word) => word.endsWith("/rootfs"));
  if (args.includes("rm")) return;
  if (root !== undefined) await mkdir(root);
  const work = args.find((word) => word.startsWith("--directory="))?.slice("--directory=".length);
  if (output !== undefined) await writeFile(output, await readFile(join(work ?? "", "metadata.yaml")));
};

function build(
  part: { name?: string; output?: string; signal?: AbortSignal } = {},
  program = pretend,
  rights: Rights = "root",
) {
  const order = { name: "debian-12", output: join(directory, "image.tar.zst"), log: () => {}, ...part };
  return buildImage(order, { program, rights });
}

const left = () => [...readdirSync(directory), ...readdirSync(temporary)];

describe("building an image", () => {
  it("gives one file, whole, with what a cluster must know of it, and leaves nothing else", async () => {
    const path = await build();
    expect(path).toBe(join(directory, "image.tar.zst"));
    expect(left()).toEqual(["image.tar.zst"]);
    expect(tmpdir()).toBe(temporary);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      architecture: expect.stringMatching(/^(x86_64|aarch64)$/),
      creation_date: expect.any(Number),
      properties: { os: "debian", release: "bookworm" },
      templates: {},
    });
  });

  it("as root goes on in namespaces that end with it, and as another user in a user namespace", async () => {
    await build();
    expect(calls.map(({ name }) => name)).toEqual(["unshare", "tar"]);
    expect(calls[0]?.args).toEqual(expect.arrayContaining(["--kill-child", "mmdebstrap", "--mode=root"]));
    calls = [];
    await build({ output: join(directory, "other") }, pretend, "user");
    expect(calls.map(({ name, args }) => `${name} ${args[0]} ${args[1]}`)).toEqual([
      "mmdebstrap --variant=minbase --mode=unshare",
      "mmdebstrap --unshare-helper tar",
      "mmdebstrap --unshare-helper rm",
    ]);
  });

  it("cuts times to the beginning of a day that has begun: what packages bring is older", async () => {
    await build();
    const epoch = Number(calls[0]?.env.SOURCE_DATE_EPOCH);
    expect(epoch % 86_400).toBe(0);
    expect(Math.abs(Date.now() / 1000 - 43_200 - epoch)).toBeLessThanOrEqual(43_201);
    expect(calls[1]?.args).toContain(`--mtime=@${epoch}`);
  });

  it("leaves nothing where a tool fails, whichever it is", async () => {
    for (const failing of ["unshare", "tar"]) {
      const program: Program = async (name, args, options) => {
        await pretend(name, args, options);
        if (name === failing) throw new Error(`${name} broke`);
      };
      await expect(build({}, program)).rejects.toThrow(`${failing} broke`);
      expect(left()).toEqual([]);
    }
  });

  it("leaves nothing where it is interrupted, even at the very end", async () => {
    for (const last of ["unshare", "tar"]) {
      const interrupted = new AbortController();
      const program: Program = async (name, args, options) => {
        options.signal?.throwIfAborted();
        await pretend(name, args, options);
        if (name === last) interrupted.abort(new Error("enough"));
      };
      await expect(build({ signal: interrupted.signal }, program)).rejects.toThrow("enough");
      expect(left()).toEqual([]);
    }
  });

  it("is refused for a name that it does not know, with those it does", async () => {
    await expect(build({ name: "debian-11" })).rejects.toMatchObject({
      message: 'There is no image "debian-11" to build.',
      suggestion: `There is: ${imageNames.join(", ")}.`,
    });
    expect(calls).toEqual([]);
  });

  it("is refused where the output exists, which stays as it is", async () => {
    const output = join(directory, "image.tar.zst");
    await writeFile(output, "precious");
    await expect(build()).rejects.toThrow(`${output} exists.`);
    expect(await readFile(output, "utf8")).toBe("precious");
    expect(calls).toEqual([]);
  });

  it("is refused where the output can never be", async () => {
    await expect(build({ output: join(directory, "missing", "image") })).rejects.toThrow(
      `${join(directory, "missing")} is no directory that can be written to.`,
    );
    expect(calls).toEqual([]);
  });
});

describe("a recipe", () => {
  it("has a script that is there, and a digest that says when it was changed", () => {
    for (const name of imageNames) {
      const recipe = recipeOf(name);
      if (recipe === undefined) throw new Error(`${name} has no recipe`);
      expect(existsSync(recipe.script)).toBe(true);
      expect(recipeDigest(recipe)).toMatch(/^[0-9a-f]{64}$/);
      expect(recipeDigest({ ...recipe, packages: [...recipe.packages, "htop"] })).not.toBe(recipeDigest(recipe));
      expect(recipeDigest({ ...recipe, script: new URL(import.meta.url) })).not.toBe(recipeDigest(recipe));
    }
  });
});
