// `lessor engine check` and `lessor image import`, as an operator runs them, on the real cluster.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { imageAlias } from "./lab/image.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("lab"));
const program = resolve(import.meta.dirname, "../../bin/lessor");

/** Runs the command with these settings of the cluster on top of the lab's own. */
async function lessor(args: readonly string[], settings: object = {}) {
  const directory = await temporaryDirectory();
  const cluster = {
    name: "lab",
    urls: lab.members.map(({ socket }) => `unix://${socket}`),
    region: "lab",
    kind: "container",
    network: "lxdbr0",
    images: { "debian-12": { alias: imageAlias } },
    ssh_probe: { command: lab.probeCommand },
    ...settings,
  };
  // JSON is YAML; what is undefined is not there.
  writeFileSync(join(directory, "lessor.yaml"), JSON.stringify({ incus: [cluster] }));
  const child = spawn(program, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((done) => child.on("exit", done));
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

async function probesLeft(): Promise<string> {
  return lab.lxc(["list", "user.lessor.installation=lessor-engine-check/lab", "--format", "csv", "--columns", "n"]);
}

it("the check makes a machine on every member, finds what a bridge of LXD leaves open, and leaves nothing behind", async () => {
  const { code, stdout } = await lessor(["engine", "check"]);
  for (const { name } of lab.members) {
    expect(stdout).toMatch(new RegExp(`^ok +probe on ${name} +created in .*, ready after another .* at \\d`, "m"));
    expect(stdout).toMatch(new RegExp(`^ok +probe on ${name} +removed in `, "m"));
  }
  expect(stdout).toMatch(/^ok +isolation on h1 +one machine does not reach another on the same host/m);
  // NICs on a bridge of LXD take no ACLs: what is open is its host's own address, and nothing else is wrong.
  const problems = stdout.split("\n").filter((line) => line.startsWith("problem"));
  expect(problems.length).toBeGreaterThan(0);
  for (const line of problems) {
    expect(line).toMatch(
      /^problem +isolation on h1 +one machine reaches its host's address \S+ at port \d+: .*network acl/,
    );
  }
  expect(code).toBe(1);
  expect(await probesLeft()).toBe("");
}, 300_000);

it.each<[string, object, RegExp]>([
  [
    "a missing image",
    { images: { nope: { alias: "nope" } } },
    /^problem +image nope +not on the cluster.*image import/m,
  ],
  ["a missing pool", { pool: "nope" }, /^problem +pool nope +does not exist: .*storage create nope/m],
  ["a missing network", { network: "nope" }, /^problem +network nope +does not exist: .*network create nope/m],
  [
    "a member group that nobody made",
    { region: undefined, regions: { gpus: "lab" } },
    /^problem +region lab +the member group gpus.*cluster group create gpus/m,
  ],
  [
    "a probe command that is no program",
    { ssh_probe: { command: ["no-such-program", "{ip}"] } },
    /^problem +SSH probe +no-such-program is not on this machine's PATH: install it/m,
  ],
  [
    "virtual machines, which a lab cannot run",
    { kind: "virtual-machine" },
    /^problem +kind +h1 reports that it cannot run a virtual-machine .*: virtual machines need KVM/m,
  ],
])("the check names %s, and what to do", async (_, settings, line) => {
  const { code, stdout } = await lessor(["engine", "check", "--no-probe"], settings);
  expect(stdout).toMatch(line);
  expect(code).toBe(1);
});

it("the check names a probe command that reaches nobody, after it has tried", async () => {
  const settings = { ssh_probe: { command: ["false", "{ip}"] } };
  const { code, stdout } = await lessor(["engine", "check", "--deadline", "20"], settings);
  expect(stdout).toMatch(
    /^problem +probe on h1 +not ready within 20 s: waiting for SSH to answer at .*the probe command ended with exit code 1.*: try ssh_probe.command manually/m,
  );
  expect(code).toBe(1);
  expect(await probesLeft()).toBe("");
}, 300_000);

it("the check finds two machines that reach each other", async () => {
  // The lab's default profile has a NIC without port isolation.
  const { code, stdout } = await lessor(["engine", "check"], { network: undefined, profile: "default" });
  expect(stdout).toMatch(/^problem +isolation on h1 +one machine reaches another/m);
  expect(code).toBe(1);
  expect(await probesLeft()).toBe("");
}, 300_000);

it("an image is imported under an alias, which is not moved unasked", async () => {
  const directory = await temporaryDirectory();
  await lab.lxc(["image", "export", imageAlias, join(directory, "image")]);
  // lxc puts the ending there by itself, by how it is packed.
  const [name = ""] = readdirSync(directory);
  const content = readFileSync(join(directory, name));
  const another = join(directory, "another");
  // A gzip or zstd file may end with further members; those of nothing make it another file of the same image.
  const nothing = name.endsWith("gz") ? "1f8b080000000000000303000000000000000000" : "28b52ffd2000010000";
  writeFileSync(another, Buffer.concat([content, Buffer.from(nothing, "hex")]));
  try {
    const first = await lessor(["image", "import", another, "--alias", "imported"]);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Imported image \w+ to lab\.\nThe alias imported points to it\.\n$/),
    });
    const refused = await lessor(["image", "import", join(directory, name), "--alias", "imported"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--replace") });
    const moved = await lessor(["image", "import", join(directory, name), "--alias", "imported", "--replace"]);
    expect(moved.stdout).toMatch(/^Image \w+ already exists on lab\.\nThe alias imported was moved to it\.\n/);
    const fingerprint = /The previous image (\w+) /.exec(moved.stdout)?.[1] ?? "";
    await lab.lxc(["image", "delete", fingerprint]);
  } finally {
    await lab.lxc(["image", "alias", "delete", "imported"]);
  }
}, 120_000);
