// A host as the GPU helper sees it: files as sysfs, /proc and /dev have them, and a partition tool. The helper itself is
// the real one, called through the client of the service.

import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createGpuHelper } from "../../src/gpus/create-gpu-helper.ts";
import type { GpuHelper } from "../../src/gpus/helper.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export const helperProgram = resolve(import.meta.dirname, "../../packaging/gpu-helper/lessor-gpu-helper");

export interface FakeDevice {
  readonly bridge?: string;
  readonly class?: string;
  readonly driver?: string;
  readonly group?: string;
  /** Of the kernel; undefined: no reset is possible. */
  readonly methods?: string;
  /** What a write to `reset` reaches instead of a file that takes it, such as /dev/full. */
  readonly resetTo?: string;
  /** The command register. */
  readonly command?: number;
  /** Does not respond. */
  readonly dead?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface FakeHost {
  readonly root: string;
  readonly helper: GpuHelper;
  readonly signal: AbortSignal;
  addDevice(address: string, device?: FakeDevice): Promise<string>;
  /** With the configuration of the helper, and the options of its command. */
  with(config: object, ...options: string[]): Promise<GpuHelper>;
  /** A process with these open files. */
  addProcess(pid: number, ...open: string[]): Promise<void>;
}

/** 64 bytes: vendor, device, command, class, and the first base address. */
export function configuration({ command = 0, dead = false }: FakeDevice): Buffer {
  const bytes = Buffer.alloc(64, dead ? 0xff : 0);
  if (dead) return bytes;
  bytes.writeUInt16LE(0x10de, 0);
  bytes.writeUInt16LE(0x2330, 2);
  bytes.writeUInt16LE(command, 4);
  bytes.writeUInt32LE(0x0302_00a1, 8);
  bytes.writeUInt32LE(0xc000_000c, 0x10);
  return bytes;
}

export async function fakeGpuHost(): Promise<FakeHost> {
  const root = await temporaryDirectory();
  const [sysfs, proc, dev] = ["sys", "proc", "dev"].map((name) => join(root, name));
  if (sysfs === undefined || proc === undefined || dev === undefined) throw new Error("BUG: three names are three");
  for (const path of [join(sysfs, "bus/pci/devices"), proc, join(dev, "vfio")]) await mkdir(path, { recursive: true });
  const words = ["--sysfs", sysfs, "--proc", proc, "--dev", dev, "--lock", join(root, "lock")];
  let configurations = 0;
  const helperWith = async (config: object, ...options: string[]) => {
    const path = join(root, `config-${configurations++}.json`);
    await writeFile(path, JSON.stringify(config));
    const command = [helperProgram, ...words, "--config", path, ...options] as const;
    const helper = createGpuHelper([{ hosts: undefined, command: [...command], timeoutSeconds: 60 }])("gpu-1");
    if (helper === undefined) throw new Error("BUG: an entry without hosts is for every host");
    return helper;
  };
  return {
    root,
    helper: await helperWith({ reset_deadline_seconds: 1, lock_wait_seconds: 0.2 }),
    signal: AbortSignal.timeout(60_000),
    addDevice: (address, device = {}) => addDevice(sysfs, address, device),
    with: helperWith,
    addProcess: async (pid, ...open) => {
      const folder = join(proc, String(pid));
      await mkdir(join(folder, "fd"), { recursive: true });
      await writeFile(join(folder, "comm"), "qemu-system-x86\n");
      for (const [at, file] of open.entries()) await symlink(file, join(folder, "fd", String(at)));
    },
  };
}

/** Returns its folder. */
async function addDevice(sysfs: string, address: string, device: FakeDevice): Promise<string> {
  const { bridge, class: kind = "0x030200", driver, group, methods, resetTo, attributes = {} } = device;
  const folder = join(sysfs, "devices/pci0000:00", bridge ?? "", address);
  await mkdir(folder, { recursive: true });
  const files: Record<string, string> = { vendor: "0x10de", device: "0x2330", class: kind, ...attributes };
  if (methods !== undefined) files.reset_method = methods;
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), `${text}\n`);
  await writeFile(join(folder, "config"), configuration(device));
  if (methods !== undefined && resetTo === undefined) await writeFile(join(folder, "reset"), "");
  if (resetTo !== undefined) await symlink(resetTo, join(folder, "reset"));
  const links = { driver: driver && `bus/pci/drivers/${driver}`, iommu_group: group && `kernel/iommu_groups/${group}` };
  for (const [name, target] of Object.entries(links)) {
    if (target === undefined) continue;
    await mkdir(join(sysfs, target), { recursive: true });
    await symlink(join(sysfs, target), join(folder, name));
  }
  await symlink(folder, join(sysfs, "bus/pci/devices", address));
  return folder;
}

/** NVIDIA's fmpm, as far as the helper uses it. */
const tool = `#!/bin/sh
state=$(dirname "$0")
echo "$@" >>"$state/calls"
case $(cat "$state/mode"):$1 in
  hang:*) sleep 600 ;;
  flood:*) while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done ;;
  garbage:-l) echo "Failed to connect to Fabric Manager. fmReturn: -5"; exit 5 ;;
  deaf:-[ad]) echo "Failed to activate partition. fmReturn: -11"; exit 11 ;;
  astray:-a) touch "$state/active-2" ;;
  *:-a) touch "$state/active-$2" ;;
  *:-d) rm -f "$state/active-$2" ;;
  *:--version) echo "Fabric Manager version is : $(cat "$state/version")" ;;
esac
[ "$1" = -l ] || exit 0
before=
printf '{"version":1,"numPartitions":%s,"partitionInfo":[' "$(wc -l <"$state/board")"
while read -r id modules; do
  active=0
  [ -e "$state/active-$id" ] && active=1
  gpus=
  for module in $modules; do
    read -r bus <"$state/gpu-$module"
    gpus="$gpus\${gpus:+,}{\\"physicalId\\":$module,\\"uuid\\":\\"\\",\\"pciBusId\\":\\"$bus\\"}"
  done
  printf '%s{"partitionId":%s,"isActive":%s,"gpuInfo":[%s]}' "$before" "$id" "$active" "$gpus"
  before=,
done <"$state/board"
echo ']}'
case $(cat "$state/mode") in stale) echo "Connection lost" >&2; exit 3 ;; esac
`;

export interface FakeTool {
  readonly path: string;
  /**
   * `stale`: it lists partitions and fails. `deaf`: it fails and changes nothing. `astray`: it activates partition 2,
   * whichever is asked for.
   */
  setMode(mode: "fine" | "hang" | "flood" | "garbage" | "stale" | "deaf" | "astray"): Promise<void>;
  setVersion(version: string): Promise<void>;
  /** Its fabric manager restarts: no partition is active any more but these, which belong to none. */
  restart(...leaked: number[]): Promise<void>;
  /** Its arguments, call by call, without lists. */
  changes(): Promise<string[]>;
}

/** A board: partitions by id, as module ids, and the PCI bus id of each module; "": the tool does not tell it. */
export interface FakeBoard {
  readonly partitions: readonly (readonly number[])[];
  readonly buses: ReadonlyMap<number, string>;
}

/** Two GPUs in partition 0, one of them each in 1 and 2. */
const smallBoard: FakeBoard = {
  partitions: [[3, 1], [1], [3]],
  buses: new Map([
    [3, "00000000:18:00.0"],
    [1, ""],
  ]),
};

export async function fakePartitionTool(root: string, board = smallBoard): Promise<FakeTool> {
  const path = join(root, "fabric tool/fmpm");
  const folder = dirname(path);
  await mkdir(folder);
  await writeFile(path, tool);
  await chmod(path, 0o755);
  const put = (name: string, text: string) => writeFile(join(folder, name), text);
  const setMode = (mode: string) => put("mode", mode);
  const setVersion = (version: string) => put("version", version);
  await setMode("fine");
  await setVersion("570.124.06");
  await put("board", board.partitions.map((modules, id) => `${id} ${modules.join(" ")}\n`).join(""));
  for (const [module, bus] of board.buses) await put(`gpu-${module}`, `${bus}\n`);
  return {
    path,
    setMode,
    setVersion,
    restart: async (...leaked) => {
      for (const id of board.partitions.keys()) await rm(join(folder, `active-${id}`), { force: true });
      for (const id of leaked) await put(`active-${id}`, "");
    },
    changes: async () => {
      const calls = await readFile(join(folder, "calls"), "utf8").catch(() => "");
      return calls.split("\n").filter((call) => /^-[ad]/.test(call));
    },
  };
}
