// The disk that cloud-init reads in the guest: the NoCloud files in an ISO image, created with genisoimage or a similar
// program. Used by start.ts.
//
// Invariant: it contains no secret (guest/disks.ts), because the files are on this machine's disk for a moment.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError, type MachineSpec } from "../engine.ts";
import { userDataFor } from "../guest/user-data.ts";

/** They take the same arguments; the first installed one is used. */
export const isoPrograms = ["genisoimage", "xorrisofs", "mkisofs"] as const;

/** The image. Throws EngineError if no program can create it, "BUG: …" as userDataFor. */
export async function seedImage(spec: MachineSpec, mac: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), "lessor-seed-"));
  try {
    const files = Object.entries(seedFiles(spec, mac)).map(async ([name, text]) => {
      const path = join(directory, name);
      await writeFile(path, text, { mode: 0o600 });
      return path;
    });
    const output = join(directory, "seed.iso");
    await run(["-quiet", "-output", output, "-volid", "cidata", "-joliet", "-rock", ...(await Promise.all(files))]);
    return await readFile(output);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The NoCloud files. JSON is valid YAML. */
export function seedFiles(spec: MachineSpec, mac: string): Record<string, string> {
  const { guest } = spec;
  const network = { version: 2, ethernets: { lessor0: { match: { macaddress: mac }, dhcp4: true } } };
  return {
    "meta-data": `instance-id: ${spec.id}\nlocal-hostname: ${JSON.stringify(guest.hostname)}\n`,
    "user-data": userDataFor(guest, "disks"),
    "network-config": `${JSON.stringify(network)}\n`,
  };
}

async function run(args: readonly string[]): Promise<void> {
  for (const program of isoPrograms) {
    const outcome = await attempt(program, args);
    if (outcome === "done") return;
    if (outcome !== "not there") {
      throw new EngineError("unavailable", "seed-failed", "The machine's first settings could not be written.", {
        cause: new Error(`${program}: ${outcome.complaint}`),
      });
    }
  }
  throw new EngineError("unavailable", "seed-failed", "The machine's first settings could not be written.", {
    cause: new Error(`none of ${isoPrograms.join(", ")} is installed on Lessor's machine`),
  });
}

function attempt(program: string, args: readonly string[]): Promise<"done" | "not there" | { complaint: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString("utf8")}`.slice(-2000);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ENOENT" ? "not there" : { complaint: error.message });
    });
    child.on("close", (code) => resolve(code === 0 ? "done" : { complaint }));
  });
}
