import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../../../test/support/engine-calls.ts";
import { fakeProgram, usePath } from "../../../../test/support/stand-in.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { openVirsh } from "./virsh.ts";

/** What is told, in order; ends begin with "end: ". */
async function begin(script: string) {
  const directory = await fakeProgram({ virsh: script });
  const told: string[] = [];
  const end = openVirsh("qemu:///system").follow([["hostname"], ["event", "--all", "--loop"]], {
    onLine: (line) => told.push(line),
    onEnd: (why) => told.push(`end: ${why}`),
  });
  return { directory, told, end };
}

function pidIn(directory: string): number {
  const path = join(directory, "pid");
  return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}

function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

it("tells each line as it comes, the last one too, and then once why it ended", async () => {
  const { told } = await begin("echo one; echo two; printf three; echo 'error: Disconnected' >&2; exit 1");
  await eventually(() => told.at(-1)).toMatch(/^end: /);
  expect(told).toEqual(["one", "two", "three", "end: error: Disconnected"]);
});

it("tells a line before the process ends", async () => {
  const { told, end } = await begin("echo one; exec sleep 60");
  await eventually(() => told).toEqual(["one"]);
  end();
});

it("has libvirt send signs of life, and gives up without them", async () => {
  const { told } = await begin(`echo "$*"`);
  await eventually(() => told[0]).toBe(
    "--keepalive-interval 5 --keepalive-count 3 --quiet --connect qemu:///system hostname; event --all --loop",
  );
});

it("gives the process an input that does not end", async () => {
  const { told, end } = await begin("echo began; cat; echo ended");
  await eventually(() => told).toEqual(["began"]);
  end();
});

it("tells nothing more once it was ended, and the process ends with all that it started", async () => {
  const { directory, told, end } = await begin(`echo one; (echo $$ >"$HERE/pid"; exec sleep 60); echo two`);
  await eventually(() => pidIn(directory)).toBeGreaterThan(0);
  await eventually(() => told).toEqual(["one"]);
  end();
  end();
  await eventually(() => runs(pidIn(directory))).toBe(false);
  expect(told).toEqual(["one"]);
});

it("tells why nothing could be started, with the package that is missing", async () => {
  await usePath(await temporaryDirectory());
  const ends: string[] = [];
  const end = openVirsh("qemu:///system").follow([["hostname"]], {
    onLine: () => {},
    onEnd: (why) => ends.push(why),
  });
  await eventually(() => ends.length).toBe(1);
  expect(ends[0]).toMatch(/install libvirt-clients/);
  end();
});

it("that ended without a word says with what", async () => {
  const { told } = await begin("exit 3");
  await eventually(() => told).toEqual(["end: it ended with 3"]);
});

it("does not outlive the program that follows it, however that ends", async () => {
  const directory = await fakeProgram({ virsh: `echo $$ >"$(dirname "$0")/pid"; exec sleep 60` });
  const program = `
    const { openVirsh } = await import(${JSON.stringify(join(import.meta.dirname, "virsh.ts"))});
    openVirsh("qemu:///system").follow([["event"]], { onLine() {}, onEnd() {} });`;
  const follower = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "ignore" });
  await eventually(() => pidIn(directory)).toBeGreaterThan(0);
  const pid = pidIn(directory);
  expect(runs(pid)).toBe(true);
  follower.kill("SIGKILL");
  await eventually(() => runs(pid)).toBe(false);
});
