// Builds an image of either kind: creates its root with mmdebstrap, and packs it into one file (tarball.ts, disk.ts).
//
// Invariant: a build that fails or is interrupted leaves nothing behind, and the output is never partly there: it is
// written next to its path under another name, and renamed when complete.

import { constants } from "node:fs";
import { access, chmod, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { diskOf } from "./disk.ts";
import { ImageError } from "./image-error.ts";
import { type ImageKind, imageNames, type Recipe, recipeOf } from "./recipe.ts";
import { type Rights, rightsToBuild } from "./rights.ts";
import { type Program, runTool } from "./run-tool.ts";
import { besideRoot, epochSeconds, type Run, type Shape, type Site } from "./site.ts";
import { tarballOf } from "./tarball.ts";

export interface ImageOrder {
  /** One of `imageNames`. */
  readonly name: string;
  /** Default: `container`. */
  readonly kind?: ImageKind;
  /** With the agent that reports metrics (agent.py). Default: without. */
  readonly metrics?: boolean;
  /** The output path; it must not exist yet. */
  readonly output: string;
  /** Called with progress, line by line. */
  readonly log: (line: string) => void;
  /** Cancels the build; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The tools and where they come from; replaced in tests. */
export interface Tools {
  readonly program: Program;
  readonly rights: Rights;
}

/** Builds it and returns its absolute path. Takes half a minute, 90 s for a virtual machine. Throws ImageError. */
export async function buildImage(order: ImageOrder, tools?: Tools): Promise<string> {
  const kind = order.kind ?? "container";
  const recipe = recipeOf(order.name, kind, order.metrics);
  if (recipe === undefined) {
    throw new ImageError(`There is no image "${order.name}" to build.`, `Choose one of: ${imageNames.join(", ")}.`);
  }
  const output = resolve(order.output);
  await refuseOutput(output);
  const { program, rights } = tools ?? { program: runTool, rights: await rightsToBuild(kind) };
  order.signal?.throwIfAborted();
  // Beside the output, so that the rename is one step. The root goes to the directory for temporary files.
  const unfinished = join(dirname(output), `.${basename(output)}.${process.pid}.part`);
  const directory = await mkdtemp(join(tmpdir(), "lessor-image-"));
  // In a user namespace another user creates the root, and everything else there is ours: hence the sticky bit.
  await chmod(directory, rights === "user" ? 0o1777 : 0o755);
  const run: Run = (name, args, part = {}) =>
    program(name, args, { env: {}, log: order.log, signal: order.signal, ...part });
  const inside: Run = (name, args, part) =>
    rights === "user" ? run("mmdebstrap", ["--unshare-helper", name, ...args], part) : run(name, args, part);
  const site: Site = { directory, root: join(directory, "rootfs"), run, inside };
  const shape = recipe.kind === "container" ? tarballOf(recipe) : diskOf(recipe);
  try {
    await makeRoot(recipe, shape, rights, site);
    order.log("packing");
    await shape.pack(site, unfinished);
    order.signal?.throwIfAborted();
    await rename(unfinished, output);
    return output;
  } finally {
    await rm(unfinished, { force: true });
    await removeRoot(rights, site, program);
    await rm(directory, { recursive: true, force: true });
  }
}

async function refuseOutput(output: string): Promise<void> {
  if ((await stat(output).catch(() => undefined)) !== undefined) {
    throw new ImageError(`${output} already exists.`, "Remove it, or choose another name with --output.");
  }
  try {
    await access(dirname(output), constants.W_OK);
  } catch (cause) {
    throw new ImageError(`${dirname(output)} is not a writable directory.`, undefined, { cause });
  }
}

async function makeRoot(recipe: Recipe, shape: Shape, rights: Rights, { directory, root, run }: Site): Promise<void> {
  const hook = (when: string) => (script: URL) =>
    // A hook of several words is a shell script with the path of the root as $1.
    `--${when}-hook=sh '${script.pathname.replaceAll("'", "'\\''")}' ${['"$1"', ...shape.scriptWords].join(" ")}`;
  const args = [
    "--variant=minbase",
    `--mode=${rights === "user" ? "unshare" : "root"}`,
    "--format=directory",
    `--include=${recipe.packages.join(",")}`,
    ...recipe.paths.map((path) => `--dpkgopt=${path}`),
    ...recipe.scripts.before.map(hook("essential")),
    ...recipe.scripts.last.map(hook("customize")),
    recipe.suite,
    root,
  ];
  // Its own temporary files too, because it may be killed.
  const env = { SOURCE_DATE_EPOCH: `${epochSeconds()}`, TMPDIR: directory };
  if (rights === "user") return run("mmdebstrap", args, { env });
  // In its own namespaces: when its first process ends, all other processes and mounts below the root end too.
  const alone = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"];
  return run("unshare", [...alone, "mmdebstrap", ...args], { env });
}

/** Only the mapped users can remove files that belong to them. Never fails: the error that led here counts. */
async function removeRoot(rights: Rights, { directory, root }: Site, program: Program): Promise<void> {
  if (rights !== "user") return;
  const args = ["--unshare-helper", "rm", "-rf", root, ...besideRoot.map((name) => join(directory, name))];
  await program("mmdebstrap", args, { env: {}, log: () => {}, signal: undefined }).catch(() => {});
}
