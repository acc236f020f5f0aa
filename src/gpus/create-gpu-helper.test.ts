// The client of the GPU helper against real commands: scripts that respond, fail, hang, flood and leave things behind.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import type { HostCommand } from "../config/host-commands.ts";
import { createGpuHelper } from "./create-gpu-helper.ts";
import { type GpuHelper, HelperError } from "./helper.ts";

const settings = (script: string, more: Partial<HostCommand> = {}): HostCommand => ({
  hosts: undefined,
  command: ["/bin/sh", "-c", script, "helper", "{host}"],
  timeoutSeconds: 20,
  ...more,
});
function helperOf(script: string, more: Partial<HostCommand> = {}): GpuHelper {
  const helper = createGpuHelper([settings(script, more)])("gpu-1");
  if (helper === undefined) throw new Error("no helper");
  return helper;
}
const responding = (result: unknown) => `cat > /dev/null; cat <<'END'\n${JSON.stringify({ version: 1, result })}\nEND`;
const signal = AbortSignal.timeout(60_000);
const [a, b] = ["0000:18:00.0", "0000:2a:00.0"];

async function failureOf(work: Promise<unknown>): Promise<HelperError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HelperError)) throw new Error(`not a HelperError: ${error}`);
  return error;
}

describe("a GPU helper", () => {
  it("gets one JSON object, and the host's name in its arguments", async () => {
    const path = join(await temporaryDirectory(), "request");
    const helper = helperOf(`cat > ${path}; echo "$1" >> ${path}; echo '{"version":1,"result":{}}'`);
    await helper.activate("gpu-1;$(x)", "3", signal);
    expect(await readFile(path, "utf8")).toBe('{"version":1,"action":"activate","partition":"3"}\ngpu-1;$(x)\n');
  });

  it("lists GPUs in order of address, and the partitions with their modules in order", async () => {
    const gpu = { module_id: null, model: "H100\u001b[31m\nSXM", driver: "vfio-pci", reset_methods: ["function"] };
    const gpus = [
      { ...gpu, address: b, extra: 1 },
      { ...gpu, address: a, module_id: 4 },
    ];
    const partitions = [{ id: "7", gpus: [4, 2], active: true }];
    const list = await helperOf(responding({ gpus, fabric_manager: "570.1", partitions })).list("gpu-1", signal);
    const named = { model: "H100 [31m SXM", driver: "vfio-pci", resetMethods: ["function"] };
    expect(list).toEqual({
      gpus: [
        { ...named, address: a, moduleId: 4 },
        { ...named, address: b, moduleId: null },
      ],
      fabricManager: "570.1",
      partitions: [{ id: "7", gpus: [2, 4], isActive: true }],
    });
  });

  it("has a verdict for each address", async () => {
    const verdicts = [
      { address: a, reset: true, method: "bus", detail: "through 0000:17:00.0" },
      { address: b, reset: false, code: "in-use", message: "process 7 has it open" },
    ];
    expect(await helperOf(responding({ verdicts })).reset("gpu-1", [a, b], signal)).toEqual([
      { address: a, isReset: true, method: "bus", detail: "through 0000:17:00.0" },
      { address: b, isReset: false, code: "in-use", message: "process 7 has it open" },
    ]);
    for (const asked of [[a], [b, a], [a, a], [a, b, a]]) {
      const failure = await failureOf(helperOf(responding({ verdicts })).reset("gpu-1", asked, signal));
      expect(failure).toMatchObject({ kind: "unavailable", code: "bad-response" });
    }
  });

  it("has no verdict that says both that the GPU was reset and why it was not", async () => {
    const verdict = { address: a, reset: true, method: "bus", detail: "" };
    for (const more of [{ code: "in-use" }, { message: "" }, { code: null, message: null }]) {
      const helper = helperOf(responding({ verdicts: [{ ...verdict, ...more }] }));
      const failure = await failureOf(helper.reset("gpu-1", [a], signal));
      expect(failure).toMatchObject({ kind: "unavailable", code: "bad-response" });
    }
  });

  it("is not called to reset nothing", async () => {
    expect(await helperOf("exit 7").reset("gpu-1", [], signal)).toEqual([]);
  });

  it("says how it is", async () => {
    const gpus = [{ address: a, problems: ["link is down"] }];
    const health = { helper_version: "0.1", fabric: { state: "failed", detail: "no response" }, gpus };
    expect(await helperOf(responding(health)).health("gpu-1", signal)).toEqual({
      helperVersion: "0.1",
      fabric: { state: "failed", detail: "no response" },
      gpus,
    });
  });
});

describe("a call of a GPU helper", () => {
  const error = (code: string, exit: number) =>
    `printf %s '{"version":1,"error":{"code":"${code}","message":"GPU 3\\nis in 5"}}'; exit ${exit}`;

  it.each([
    ["its own error", error("partition-conflict", 1), "refused", "partition-conflict", "GPU 3 is in 5"],
    ["its own error, later", error("busy", 1), "unavailable", "busy", "GPU 3 is in 5"],
    ["a code of the service", error("aborted", 1), "unavailable", "bad-response", "not what the contract says"],
    ["another version", `echo '{"version":2,"result":{}}'`, "refused", "unsupported-version", "version 2"],
    ["no output", "exit 0", "unavailable", "bad-response", "not JSON"],
    ["no object", "echo '[]'", "unavailable", "bad-response", "not a JSON object"],
    ["no version", `echo '{"result":{}}'`, "unavailable", "bad-response", "with a version"],
    ["no result", `echo '{"version":1}'`, "unavailable", "bad-response", "not what the contract says, at /result."],
    [
      "a result and exit code 1",
      `echo '{"version":1,"result":{}}'; exit 1`,
      "unavailable",
      "bad-response",
      "no `error`",
    ],
    ["an error and exit code 0", error("busy", 0), "unavailable", "bad-response", "an `error`, but the command ended"],
    ["both", `echo '{"version":1,"result":{},"error":{"code":"x"}}'`, "unavailable", "bad-response", "has both"],
    ["both, one of them null", `echo '{"version":1,"result":{},"error":null}'`, "unavailable", "bad-response", "both"],
    ["text before it", `echo Welcome; echo '{"version":1,"result":{}}'`, "unavailable", "bad-response", "not JSON"],
    ["bytes that are no text", "head -c 1000 /dev/urandom", "unavailable", "bad-response", "not JSON"],
    [
      "exit code 1 and no error",
      "echo usage; echo gone >&2; exit 1",
      "unavailable",
      "command-failed",
      "with exit code 1: gone",
    ],
    ["another exit code", "echo refused >&2; exit 255", "unavailable", "command-failed", "exit code 255: refused"],
    [
      "another exit code, after a result",
      `echo '{"version":1,"result":{}}'; exit 9`,
      "unavailable",
      "command-failed",
      "9.",
    ],
    ["a signal", "kill -TERM $$", "unavailable", "command-failed", "by SIGTERM"],
    ["a flood", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "unavailable", "bad-response", "1 MiB"],
  ])("fails with %s", async (_, script, kind, code, message) => {
    const failure = await failureOf(helperOf(script).activate("gpu-1", "1", signal));
    expect(failure).toMatchObject({ kind, code });
    expect(failure.message).toContain(message);
  });

  it("fails without a program", async () => {
    const failure = await failureOf(helperOf("", { command: ["/nonexistent", "secret"] }).health("gpu-1", signal));
    expect(failure).toMatchObject({ kind: "unavailable", code: "not-started" });
    expect(failure.message).toBe("The command /nonexistent could not be started.");
  });

  it("repeats the end of the error output in one line that no terminal interprets", async () => {
    const script =
      "head -c 9000 /dev/zero | tr '\\0' x >&2; printf '\\033]0;\\007 and\\r\\nthen \\342\\200\\256end' >&2; exit 2";
    const { message } = await failureOf(helperOf(script).health("gpu-1", signal));
    expect(message).toMatch(/^The command ended with exit code 2: …x+ \]0; and then end$/);
    expect(message.length).toBeLessThan(600);
  });

  it("that hangs ends at its deadline, and no other host waits for it", async () => {
    const other = settings(responding({}), { hosts: ["gpu-2"] });
    const helpers = createGpuHelper([other, settings("echo stuck >&2; sleep 600", { timeoutSeconds: 1 })]);
    const [hung, queued] = ["1", "2"].map((id) => helpers("gpu-1")?.activate("gpu-1", id, signal) ?? Promise.reject());
    const ended: string[] = [];
    const failures = [hung, queued].map((one) => failureOf(one ?? Promise.reject()).finally(() => ended.push("gpu-1")));
    await helpers("gpu-2")
      ?.activate("gpu-2", "1", signal)
      .then(() => ended.push("gpu-2"));
    expect(await Promise.all(failures)).toMatchObject([{ code: "deadline" }, { code: "deadline" }]);
    expect(ended).toEqual(["gpu-2", "gpu-1", "gpu-1"]);
    expect((await failures[0])?.message).toBe("The command did not end within 1 seconds: stuck");
  });

  it("that leaves a child behind, which holds its output, has its response all the same", async () => {
    const path = join(await temporaryDirectory(), "pid");
    await helperOf(`${responding({})}\nsleep 600 & echo $! > ${path}`).activate("gpu-1", "1", signal);
    const pid = (await readFile(path, "utf8")).trim();
    const state = () => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    await expect.poll(state).toMatch(/^$| Z /);
  });

  it("runs alone on its host", async () => {
    const folder = await temporaryDirectory();
    const script = `mkdir ${folder}/lock || exit 5; sleep 0.1; rmdir ${folder}/lock; ${responding({})}`;
    const helpers = createGpuHelper([settings(script)]);
    await Promise.all(["1", "2", "3"].map((id) => helpers("gpu-1")?.activate("gpu-1", id, signal)));
  });

  it("ends when it is aborted, while it runs and while it waits", async () => {
    const controller = new AbortController();
    const helper = helperOf("sleep 600");
    const running = failureOf(helper.activate("gpu-1", "1", signal.aborted ? signal : AbortSignal.timeout(1500)));
    const waiting = failureOf(helper.activate("gpu-1", "2", controller.signal));
    controller.abort(new Error("stopping"));
    expect(await waiting).toMatchObject({ code: "aborted", cause: { message: "stopping" } });
    expect(await running).toMatchObject({ kind: "unavailable", code: "aborted" });
    expect(await failureOf(helper.list("gpu-1", controller.signal))).toMatchObject({ code: "aborted" });
  });

  it("is by the first entry that names the host, or none", () => {
    const helpers = createGpuHelper([settings("", { hosts: ["gpu-1"] }), settings("", { hosts: ["gpu-2"] })]);
    expect(helpers("gpu-1")).toBeDefined();
    expect(helpers("gpu-1")).not.toBe(helpers("gpu-2"));
    expect(helpers("gpu-3")).toBeUndefined();
  });
});
