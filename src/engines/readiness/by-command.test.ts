import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createProbe, type ProbeAnswer } from "./probe.ts";

const directory = mkdtempSync(join(tmpdir(), "lessor-probe-"));
afterAll(() => rmSync(directory, { recursive: true }));
const target = { ip: "10.1.2.3", host: "h2", port: 22 };
const never = new AbortController().signal;

/** Starting a process on a busy machine may take a while, so this one is patient unless told otherwise. */
function ask(command: readonly string[], timeoutSeconds = 15): Promise<ProbeAnswer> {
  return createProbe({ kind: "command", command, timeoutSeconds })(target, never);
}

/** Whether the process of this number runs: one that ended and waits to be collected does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a probe command", () => {
  it("is given the address, the host and the port, wherever they stand", async () => {
    const command = [
      "sh",
      "-c",
      'echo "SSH-$0 $*" >"$1"; echo SSH-',
      "{ip}:{port}",
      `${directory}/words`,
      "jump@{host}",
      "{user}",
    ];
    expect(await ask(command)).toEqual({ answers: true });
    expect(readFileSync(join(directory, "words"), "utf8")).toBe(`SSH-10.1.2.3:22 ${directory}/words jump@h2 {user}\n`);
  });

  it("gets each word as it is: no shell reads it", async () => {
    const command = ["printf", "SSH-%s", "$(touch /nowhere); '\"` *"];
    expect(await ask(command)).toEqual({ answers: true });
  });

  it("that does not exist is told so", async () => {
    expect(await ask(["/no/such/program", "{ip}"])).toMatchObject({
      answers: false,
      why: expect.stringMatching(/^the probe command could not be started: .*ENOENT/),
    });
  });

  it("that cannot even be tried is told so", async () => {
    expect(await ask(["echo", "a\0b"])).toMatchObject({ why: expect.stringMatching(/could not be started/) });
    expect(await ask([])).toEqual({ answers: false, why: "the probe command is empty" });
  });

  it("that fails is quoted with the last line it said, without what a terminal would act on", async () => {
    const script = "echo first >&2; printf '\\033[31mno route to h2\\033[0m\\n' >&2; exit 255";
    expect(await ask(["sh", "-c", script])).toEqual({
      answers: false,
      why: "the probe command ended with exit code 255 before a greeting: [31mno route to h2[0m",
    });
  });

  it("that is killed, or ends without a word, is told so", async () => {
    expect(await ask(["sh", "-c", "kill -9 $$"])).toMatchObject({
      why: "the probe command ended by SIGKILL before a greeting",
    });
    expect(await ask(["true"])).toMatchObject({ why: "the probe command ended with exit code 0 before a greeting" });
  });

  it("may complain as much as it likes without stopping itself", async () => {
    expect(await ask(["sh", "-c", "head -c 300000 /dev/zero >&2; echo SSH-2.0-x"])).toEqual({ answers: true });
  });

  it.each([
    ["answered", "echo SSH-2.0-x;", 15],
    ["was too slow", "", 1],
  ])("that %s is ended with all it started", async (_, greeting, timeoutSeconds) => {
    const file = join(directory, `pids-${timeoutSeconds}`);
    const script = `trap '' TERM; sleep 60 & echo "$$ $!" >"${file}"; ${greeting} wait`;
    expect((await ask(["sh", "-c", script], timeoutSeconds)).answers).toBe(greeting !== "");
    const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(runs), { timeout: 10_000 }).toEqual([]);
  });

  it("is ended where the caller loses interest", async () => {
    const file = join(directory, "pid");
    const controller = new AbortController();
    const probe = createProbe({
      kind: "command",
      command: ["sh", "-c", `echo $$ >"${file}"; exec sleep 60`],
      timeoutSeconds: 60,
    });
    const asked = probe(target, controller.signal);
    const pid = () => {
      try {
        return Number(readFileSync(file, "utf8"));
      } catch {
        return 0;
      }
    };
    await expect.poll(pid, { timeout: 10_000 }).toBeGreaterThan(0);
    controller.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    await expect.poll(() => runs(pid()), { timeout: 10_000 }).toBe(false);
  });
});
