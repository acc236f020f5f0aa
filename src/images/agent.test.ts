// The agent of the images, run as it is, beside tools of GPUs that only pretend to; and that what it writes is what the
// service reads.

import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { readLine } from "../rental/guest-metrics/sample.ts";
import { type GuestMetric, gpuMetricNames, guestLines, instanceMetricNames } from "../rules/guest-metrics.ts";

const agent = new URL("agent.py", import.meta.url).pathname;

/** Loads the agent without starting it, with other paths, and runs the lines of `argv[3]`. */
const driver = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("agent", sys.argv[1])
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)
for name, value in json.loads(sys.argv[2]).items():
    setattr(agent, name, value)
exec(sys.argv[3])
`;

let directory: string;
let log: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, "bin"));
  log = join(directory, "kmsg");
  await writeFile(log, "");
});

async function python(lines: string, part: Record<string, unknown> = {}): Promise<string> {
  const names = {
    ...{ PORT: join(directory, "port"), FILE: join(directory, "run/metrics"), KERNEL_LOG: log, TOOL_SECONDS: 1 },
    ...part,
  };
  const args = ["-I", "-B", "-c", driver, agent, JSON.stringify(names), lines];
  const env = { PATH: `${join(directory, "bin")}:/usr/bin:/bin` };
  return (await promisify(execFile)("python3", args, { env, timeout: 8000 })).stdout;
}

/** A tool of a vendor: a shell script. */
async function tool(name: string, script: string): Promise<void> {
  const path = join(directory, "bin", name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

const sampled = (more = "") =>
  `xids = agent.Xids()\n${more}\nprint(agent.sample(7, agent.cpu_times(), xids)[0], end="")`;

/** What the service reads of it, by name. */
async function read(text: string, gpus = 0) {
  const sample = readLine(Buffer.from(text), gpus);
  if (typeof sample === "string") throw new Error(`The service takes it for ${sample}: ${text}`);
  const named = (names: readonly GuestMetric[], values: readonly (number | null)[]) =>
    Object.fromEntries(names.map((name, at) => [name, values[at]]));
  return {
    number: sample.number,
    instance: named(instanceMetricNames, sample.point.instance),
    gpus: sample.point.gpus.map((values) => named(gpuMetricNames, values)),
    xids: sample.xids.map(({ gpu, xid }) => [gpu, xid]),
  };
}

const twoOfNvidia = `
case $1 in
  --query-gpu=pci.bus_id,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,ecc.errors.uncorrected.volatile.total) ;;
  *) exit 1 ;;
esac
echo "00000000:18:00.0, 97, 70211, 81559, 64, 611.27, 0"
echo "00000000:2A:00.0, 0, 4, 81559, 31, [N/A], [Not Supported]"`;

describe("the agent", () => {
  it("tells of a machine without GPUs what the kernel says", async () => {
    const { number, instance, gpus, xids } = await read(await python(sampled()));
    expect([number, gpus, xids]).toEqual([7, [], []]);
    for (const name of instanceMetricNames) expect(instance[name]).toEqual(expect.any(Number));
    const kib = /^MemTotal:\s+(\d+)/m.exec(await readFile("/proc/meminfo", "utf8"))?.[1];
    expect(instance.memory_size).toBe(Math.floor(Number(kib) / 1024));
    expect(instance.memory_used).toBeLessThan(instance.memory_size ?? 0);
    expect(instance.disk_used).toBeLessThan(instance.disk_size ?? 0);
  });

  it("tells of GPUs of NVIDIA in the order of the driver, and leaves out what it does not know", async () => {
    await tool("nvidia-smi", twoOfNvidia);
    const { gpus } = await read(await python(sampled()), 2);
    const [size, none] = [81_559, null];
    const busy = { gpu_utilization: 97, gpu_memory_used: 70_211, gpu_temperature: 64, gpu_power: 611 };
    const idle = { gpu_utilization: 0, gpu_memory_used: 4, gpu_temperature: 31, gpu_power: none };
    expect(gpus).toEqual([
      { ...busy, gpu_memory_size: size, gpu_ecc_errors: 0 },
      { ...idle, gpu_memory_size: size, gpu_ecc_errors: none },
    ]);
  });

  it("tells of GPUs of AMD, the tenth after the ninth", async () => {
    const card = (use: number) => ({
      ...{ "GPU use (%)": `${use}`, "VRAM Total Memory (B)": `${2 ** 37}`, "VRAM Total Used Memory (B)": `${2 ** 30}` },
      ...{ "Temperature (Sensor junction) (C)": "51.0", "Average Graphics Package Power (W)": "N/A" },
    });
    await tool("rocm-smi", `echo '${JSON.stringify({ card10: card(10), card9: card(9), system: {} })}'`);
    const { gpus } = await read(await python(sampled()), 2);
    const same = { gpu_memory_size: 131_072, gpu_memory_used: 1024, gpu_temperature: 51, gpu_power: null };
    expect(gpus).toEqual([
      { ...same, gpu_utilization: 9, gpu_ecc_errors: null },
      { ...same, gpu_utilization: 10, gpu_ecc_errors: null },
    ]);
  });

  it.each([
    ["hangs", "exec sleep 30"],
    ["fails", `${twoOfNvidia}\nexit 9`],
    ["prints what is no table", "head -c 3000 /dev/urandom"],
    ["prints nothing", "echo"],
  ])("tells the rest where the tool %s", async (_what, script) => {
    await tool("nvidia-smi", script);
    const { gpus, instance } = await read(await python(sampled()), 2);
    expect(gpus.flatMap((gpu) => Object.values(gpu)).filter((value) => value !== null)).toEqual([]);
    expect(instance.memory_size).toBeGreaterThan(0);
  });

  it("tells errors that the kernel's log has from its start on, by GPU, and for ten minutes", async () => {
    await tool("nvidia-smi", twoOfNvidia);
    const entry = (address: string, xid: number) => `3,1,1,-;NVRM: Xid (PCI:${address}): ${xid}, pid=1, text`;
    await writeFile(log, `${entry("0000:18:00", 48)}\n`);
    const more = [entry("0000:2a:00", 79), entry("0000:99:00", 48), "3,1,1,-;NVRM: Xid (PCI:x): y"];
    const script = `open(agent.KERNEL_LOG, "a").write(${JSON.stringify(more[0])} + "\\n")`;
    expect((await read(await python(sampled(script)), 2)).xids).toEqual([[1, 79]]);
    for (const text of more.slice(1)) {
      const other = `open(agent.KERNEL_LOG, "a").write(${JSON.stringify(text)} + "\\n")`;
      expect((await read(await python(sampled(other)), 2)).xids).toEqual([]);
    }
    const later = `${script}\nxids.lines = lambda: []\nxids.seen = {(0, 79): agent.time.monotonic() - 601}`;
    expect((await read(await python(sampled(later)), 2)).xids).toEqual([]);
    expect((await read(await python(sampled(), { KERNEL_LOG: "/nowhere" }), 2)).xids).toEqual([]);
  });

  it("writes a whole line to its file, and to its port, and waits for no reader of either", async () => {
    const port = join(directory, "port");
    execFileSync("mkfifo", [port]);
    await python('agent.write("one")');
    expect(await readFile(join(directory, "run/metrics"), "utf8")).toBe("one\n");
    const reading = 'import os\nread = os.open(agent.PORT, os.O_RDONLY | os.O_NONBLOCK)\nagent.write("two")';
    expect(await python(`${reading}\nprint(os.read(read, 100))`)).toBe("b'two\\n'\n");
    const full = `${reading}\nfor _ in range(9): agent.write("x" * 8000)`;
    expect(await python(`${full}\nprint(len(os.read(read, 10**6)) <= 65536)`)).toBe("True\n");
    await python('agent.write("three")', { PORT: "/nowhere", FILE: "/proc/nowhere/metrics" });
  });

  it("keeps to the limits of the service", async () => {
    const constants = "print(agent.EVERY_SECONDS, agent.MOST_BYTES, agent.REPEAT_XIDS_SECONDS)";
    const { everySeconds, mostBytes, repeatXidsSeconds } = guestLines;
    expect(await python(constants)).toBe(`${everySeconds} ${mostBytes} ${repeatXidsSeconds}\n`);
    const many = Array.from(
      { length: 16 },
      (_, at) => `echo "00000000:${10 + at}:00.0, 100, 81000, 81559, 64, 611.27, 65534"`,
    );
    await tool("nvidia-smi", many.join("\n"));
    const all = [...Array(16).keys()].flatMap((gpu) =>
      [48, 79].map((xid) => `(${gpu}, ${xid}): agent.time.monotonic()`),
    );
    const line = await python(sampled(`xids.seen = {${all.join(",")}}`));
    expect(Buffer.byteLength(line)).toBeLessThan(mostBytes);
    expect((await read(line, 16)).xids).toHaveLength(32);
  });
});
