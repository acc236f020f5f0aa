// Building an image, with tools that only pretend to; test/cluster/lab.test.ts starts machines of a real one.

import { readdirSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { buildImage } from "./build.ts";
import { type ImageKind, imageKinds, imageNames } from "./recipe.ts";
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

/** Makes what the tools would make: a root, a tarball that holds the text of metadata.yaml, a disk with a word in it. */
const pretend: Program = async (name, args, { env, output }) => {
  calls.push({ name, args, env });
  const tool = args[0] === "--unshare-helper" ? args[1] : name;
  const last = args.at(-1) ?? "";
  if (args.includes("--format=directory")) {
    await mkdir(last);
    await mkdir(join(last, "../esp"));
  }
  if (tool === "install") await writeFile(last, "disk");
  if (tool === "qemu-img") await copyFile(args.at(-2) ?? "", last);
  const work = args.find((word) => word.startsWith("--directory="))?.slice("--directory=".length);
  if (output !== undefined) await writeFile(output, await readFile(join(work ?? "", "metadata.yaml")));
};

function build(
  part: { name?: string; kind?: ImageKind; output?: string; signal?: AbortSignal } = {},
  program = pretend,
  rights: Rights = "root",
) {
  const order = { name: "debian-12", output: join(directory, "image"), log: () => {}, ...part };
  return buildImage(order, { program, rights });
}

/** The tools of each kind, in their order. */
const tools: Readonly<Record<ImageKind, readonly string[]>> = {
  container: ["unshare", "tar"],
  "virtual-machine": ["unshare", "install", "truncate", "sh", "mformat", "sh", "mke2fs", "qemu-img"],
};

const left = () => [...readdirSync(directory), ...readdirSync(temporary)];

describe("building an image", () => {
  it("gives one file, whole, with what a cluster must know of it, and leaves nothing else", async () => {
    const path = await build();
    expect(path).toBe(join(directory, "image"));
    expect(left()).toEqual(["image"]);
    expect(tmpdir()).toBe(temporary);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      architecture: expect.stringMatching(/^(x86_64|aarch64)$/),
      creation_date: expect.any(Number),
      properties: { os: "debian", release: "bookworm" },
      templates: {},
    });
  });

  it("gives the disk of a virtual machine, and leaves nothing else", async () => {
    const path = await build({ kind: "virtual-machine" });
    expect(left()).toEqual(["image"]);
    expect(await readFile(path, "utf8")).toBe("disk");
  });

  it("as root goes on in namespaces that end with it, with each kind's own tools", async () => {
    for (const kind of imageKinds) {
      calls = [];
      await build({ kind, output: join(directory, kind) });
      expect(calls.map(({ name }) => name)).toEqual(tools[kind]);
      expect(calls[0]?.args).toEqual(expect.arrayContaining(["--kill-child", "mmdebstrap", "--mode=root"]));
    }
  });

  it("as another user goes on in a user namespace, where files belong to whom they are to belong", async () => {
    for (const kind of imageKinds) {
      calls = [];
      await build({ kind, output: join(directory, kind) }, pretend, "user");
      const [first, ...others] = calls.map(({ name, args }) => `${name} ${args[0]} ${args[1]}`);
      expect(first).toBe("mmdebstrap --variant=minbase --mode=unshare");
      const inside = tools[kind].slice(1).map((tool) => `mmdebstrap --unshare-helper ${tool}`);
      // The image itself is ours.
      if (kind === "virtual-machine") inside.splice(-1, 1, "qemu-img convert -c");
      expect(others).toEqual([...inside, "mmdebstrap --unshare-helper rm"]);
    }
  });

  it("takes back everything that the other user made", async () => {
    await build({ kind: "virtual-machine" }, pretend, "user");
    const work = calls[0]?.args.at(-1)?.replace(/\/rootfs$/, "");
    expect(calls.at(-1)?.args.slice(2)).toEqual(["-rf", `${work}/rootfs`, `${work}/esp`]);
  });

  it("runs each kind's scripts, its own and the common one, in their order, with what they must know", async () => {
    const hooks = async (kind: ImageKind) => {
      calls = [];
      await build({ kind, output: join(directory, kind) });
      const words = calls[0]?.args.filter((word) => word.includes("-hook=")) ?? [];
      return words.map((word) =>
        word
          .replace(/'.*\//, "")
          .replaceAll("'", "")
          .replace(/[0-9a-f-]{36}/, "UUID"),
      );
    };
    expect(await hooks("container")).toEqual([
      '--customize-hook=sh debian-12-container.sh "$1"',
      '--customize-hook=sh debian-12.sh "$1"',
    ]);
    expect(await hooks("virtual-machine")).toEqual([
      expect.stringMatching(/^--essential-hook=sh debian-12-kernel.sh "\$1" UUID [0-9A-F]{4}-[0-9A-F]{4}$/),
      expect.stringMatching(/^--customize-hook=sh debian-12-virtual-machine.sh "\$1" UUID/),
      expect.stringMatching(/^--customize-hook=sh debian-12.sh "\$1" UUID/),
    ]);
  });

  it("cuts times to the beginning of a day that has begun: what packages bring is older", async () => {
    await build();
    const epoch = Number(calls[0]?.env.SOURCE_DATE_EPOCH);
    expect(epoch % 86_400).toBe(0);
    expect(Math.abs(Date.now() / 1000 - 43_200 - epoch)).toBeLessThanOrEqual(43_201);
    expect(calls[1]?.args).toContain(`--mtime=@${epoch}`);
  });

  it.each(imageKinds)("of the kind %s leaves nothing where a tool fails, whichever it is", async (kind) => {
    for (const failing of tools[kind]) {
      const program: Program = async (name, args, options) => {
        await pretend(name, args, options);
        if (name === failing) throw new Error(`${name} broke`);
      };
      await expect(build({ kind }, program)).rejects.toThrow(`${failing} broke`);
      expect(left()).toEqual([]);
    }
  });

  it.each(imageKinds)("of the kind %s leaves nothing where it is interrupted, even at the very end", async (kind) => {
    for (const last of tools[kind]) {
      const interrupted = new AbortController();
      const program: Program = async (name, args, options) => {
        options.signal?.throwIfAborted();
        await pretend(name, args, options);
        if (name === last) interrupted.abort(new Error("enough"));
      };
      await expect(build({ kind, signal: interrupted.signal }, program)).rejects.toThrow("enough");
      expect(left()).toEqual([]);
    }
  });

  it("is refused for a name that it does not know, with those it does", async () => {
    await expect(build({ name: "debian-11" })).rejects.toMatchObject({
      message: 'There is no image "debian-11" to build.',
      suggestion: `Choose one of: ${imageNames.join(", ")}.`,
    });
    expect(calls).toEqual([]);
  });

  it("is refused where the output exists, which stays as it is", async () => {
    const output = join(directory, "image");
    await writeFile(output, "precious");
    await expect(build()).rejects.toThrow(`${output} already exists.`);
    expect(await readFile(output, "utf8")).toBe("precious");
    expect(calls).toEqual([]);
  });

  it("is refused where the output can never be", async () => {
    await expect(build({ output: join(directory, "missing", "image") })).rejects.toThrow(
      `${join(directory, "missing")} is not a writable directory.`,
    );
    expect(calls).toEqual([]);
  });
});
