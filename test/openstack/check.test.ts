// `lessor engine check`, as an operator runs it, on the real services, in both modes.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, inject, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { cloudOf, type Mode, madeIn } from "./ground.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("openStackLab"));
const program = resolve(import.meta.dirname, "../../bin/lessor");

afterEach(() => lab.wipe());

async function check(mode: Mode, settings: object = {}) {
  const directory = await temporaryDirectory();
  // JSON is YAML.
  writeFileSync(
    join(directory, "lessor.yaml"),
    JSON.stringify({ openstack: [{ ...cloudOf(lab, mode), ...settings }] }),
  );
  const child = spawn(program, ["engine", "check"], { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((done) => child.on("exit", done));
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

it.each<Mode>(["visible", "pool"])(
  "finds nothing wrong, makes an instance, and leaves none behind (%s)",
  async (mode) => {
    const { code, stdout, stderr } = await check(mode);
    const problems = stdout.split("\n").filter((line) => line.startsWith("problem"));
    expect({ code, problems, stderr }).toMatchObject({ code: 0, problems: [] });
    expect(stdout).toMatch(/^ok +probe .*created in .*, ready after another /m);
    expect(stdout).toMatch(/^ok +probe .*removed in /m);
    expect(await madeIn(lab)).toEqual({ servers: [], ports: [] });
  },
);

it("says what to do about a network, an image and a class of GPUs that do not exist", async () => {
  const regions = { lab: { network: "no-such-network" } };
  const images = { "debian-12": { name: "no such image" } };
  const gpus = { CUSTOM_GPU_NONE: { model: "none", memory_gib: 1 } };
  const { code, stdout } = await check("visible", { regions, images, gpus });
  expect(code).toBe(1);
  for (const name of ["no-such-network", "no such image", "CUSTOM_GPU_NONE"]) {
    expect(stdout).toMatch(new RegExp(`^(problem|warning) .*${name}`, "m"));
  }
});
