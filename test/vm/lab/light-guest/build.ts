// Builds the light guest: Debian without systemd, whose init is busybox and whose SSH server is OpenSSH, for tests that
// start many guests in emulation. It boots its kernel directly (-kernel), in a fifth of the time that the image takes
// which operators build, and understands the same seed as far as our engines write it (root/etc/light/seed).
//
// Invariant: what is built follows from the files of this folder and from Debian's packages, nothing else.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../support/lab/run.ts";
import { unpackedKernel } from "./kernel.ts";

/** The files that `buildLightGuest` makes, which are volumes of every host's pool. */
export const lightFiles = ["light.qcow2", "light-vmlinuz", "light-initrd"] as const;

/**
 * The kernel's command line. All but the first line saves time in emulation and changes nothing that is tested. Most of it
 * norandmaps: QEMU translates a program again for each address that it is loaded at.
 */
export const lightCommandLine = [
  ...["console=ttyS0", "root=/dev/vda"],
  ...["norandmaps", "loglevel=6"],
  ...["mitigations=off", "nokaslr", "audit=0", "random.trust_cpu=on", "cryptomgr.notests", "8250.nr_uarts=1"],
].join(" ");

const here = import.meta.dirname;

const packages = [
  ...["usr-is-merged", "openssh-server", "busybox-static", "sudo"],
  ...["e2fsprogs", "passwd", "login", "util-linux", "mount"],
];

/** In any order; what they need comes along. */
const modules = ["virtio_pci", "virtio_blk", "virtio_net", "virtio_console", "virtio_rng", "isofs", "evdev", "button"];

/** 64 hex digits that change with whatever the recipe says, not with the packages' versions. */
export function lightDigest(): string {
  const files = readdirSync(here, { recursive: true, encoding: "utf8" }).sort();
  const hash = createHash("sha256");
  for (const file of files.filter((one) => statSync(join(here, one)).isFile())) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(here, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Makes `lightFiles` in `directory`, which is there and empty. Takes some 25 s. */
export async function buildLightGuest(directory: string): Promise<void> {
  const work = join(directory, "work");
  const root = join(work, "root");
  const kernel = join(work, "kernel");
  mkdirSync(kernel, { recursive: true });
  await makeRoot(root, kernel);
  const boot = join(kernel, "boot");
  const vmlinuz = readdirSync(boot).find((name) => name.startsWith("vmlinuz-"));
  if (vmlinuz === undefined) throw new Error("The kernel's package holds no kernel");
  writeFileSync(join(directory, "light-vmlinuz"), unpackedKernel(readFileSync(join(boot, vmlinuz))));
  await makeInitrd(
    join(root, "bin/busybox"),
    kernel,
    vmlinuz.slice("vmlinuz-".length),
    work,
    join(directory, "light-initrd"),
  );
  await makeDisk(root, join(work, "disk"), join(directory, "light.qcow2"));
  rmSync(work, { recursive: true });
}

async function makeRoot(root: string, kernel: string): Promise<void> {
  // In namespaces of its own: when the first process of it ends, all others and every mount below the root are gone.
  const alone = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const paths = ["doc", "man", "info", "locale", "lintian"].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  const hook = `--customize-hook=sh '${join(here, "root.sh")}' "$1" '${here}' '${kernel}'`;
  const options = ["--variant=essential", "--mode=root", "--format=directory", `--include=${packages.join(",")}`];
  await run("unshare", [...alone, "mmdebstrap", ...options, ...paths, hook, "bookworm", root], { timeoutSeconds: 600 });
}

/** A file system in memory for the kernel: busybox, the modules in the order in which they are to be loaded, and init. */
async function makeInitrd(busybox: string, kernel: string, version: string, work: string, to: string): Promise<void> {
  const root = join(work, "initrd");
  mkdirSync(join(root, "bin"), { recursive: true });
  mkdirSync(join(root, "modules"));
  cpSync(busybox, join(root, "bin/busybox"));
  cpSync(join(here, "initrd.sh"), join(root, "init"));
  await run(busybox, ["depmod", "-b", kernel, version]);
  const from = join(kernel, "lib/modules", version);
  const ordered = inOrder(readFileSync(join(from, "modules.dep"), "utf8"));
  for (const [index, path] of ordered.entries()) {
    cpSync(join(from, path), join(root, "modules", `${`${index}`.padStart(2, "0")}-${path.split("/").at(-1)}`));
  }
  // Not compressed: unpacking would cost the guest more than reading.
  await run("sh", ["-c", 'cd "$1" && find . | cpio --quiet -o -H newc -R 0:0 >"$2"', "sh", root, to]);
}

/** The paths of `modules` and of all that they need, each after what it needs. `dependencies`: depmod's file. */
function inOrder(dependencies: string): string[] {
  const plain = (path: string) => (path.split("/").at(-1) ?? "").replace(/\.ko$/, "").replaceAll("-", "_");
  const known = new Map(
    dependencies
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [path = "", needed = ""] = line.split(":");
        return [plain(path), { path, needs: needed.split(" ").filter(Boolean).map(plain) }] as const;
      }),
  );
  const ordered = new Set<string>();
  const add = (name: string): void => {
    const found = known.get(name);
    if (found === undefined) throw new Error(`The kernel has no module ${name}`);
    for (const needed of found.needs) add(needed);
    ordered.add(found.path);
  };
  for (const name of modules) add(name);
  return [...ordered];
}

/** One file system without a partition table, of 1 GiB; the guest makes it as large as its disk. */
async function makeDisk(root: string, raw: string, to: string): Promise<void> {
  // All of it is made now, not by the guest at its first boot.
  const options = ["-L", "light", "-J", "size=8", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-m", "0"];
  await run("mke2fs", ["-q", "-t", "ext4", ...options, "-d", root, raw, "1G"]);
  await run("qemu-img", ["convert", "-O", "qcow2", raw, to]);
  if (!existsSync(to)) throw new Error(`BUG: qemu-img made no ${to}`);
}
