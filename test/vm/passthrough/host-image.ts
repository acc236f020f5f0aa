// The disk of the GPU host: Debian with its own kernel, libvirt and QEMU. Made once and kept beside the lab's other
// images. It boots its kernel directly. Used by gpu-host.ts.

import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { builtOnce } from "../../support/lab/image-cache.ts";
import { run } from "../../support/lab/run.ts";

export interface HostImage {
  /** A qcow2 without partitions, to be laid under a disk of the run. */
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

const packages = [
  // What docs/how-to/operators/set-up-libvirt.md installs on a host.
  ...["libvirt-daemon-system", "libvirt-daemon-driver-qemu", "libvirt-daemon-config-network", "libvirt-clients"],
  ...["libvirt-daemon-config-nwfilter", "qemu-system-x86", "qemu-utils", "ovmf", "dnsmasq-base"],
  // What every Debian has.
  ...["systemd", "systemd-sysv", "udev", "dbus", "kmod", "iproute2", "iptables", "openssh-server", "python3"],
  ...["linux-image-amd64", "initramfs-tools"],
];

const hook = join(import.meta.dirname, "host-image.sh");

/** Builds what no run has built by the same recipe, in some 80 s. */
export async function hostImage(log: (line: string) => void): Promise<HostImage> {
  const recipe = createHash("sha256").update(packages.join()).update(readFileSync(hook)).digest("hex");
  const directory = await builtOnce({ name: "gpu-host", digest: recipe, build }, log);
  return { disk: join(directory, "host.qcow2"), kernel: join(directory, "vmlinuz"), initrd: join(directory, "initrd") };
}

async function build(directory: string): Promise<void> {
  const root = join(directory, "root");
  // In namespaces of its own: when the first process of it ends, all others and every mount below the root are gone.
  const alone = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const paths = ["doc", "man", "locale"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const what = ["--variant=essential", "--mode=root", "--format=directory", `--include=${packages.join(",")}`];
  const last = `--customize-hook=sh '${hook}' "$1"`;
  const words = [...alone, "nice", "-n", "15", "mmdebstrap", ...what, ...paths, last, "bookworm", root];
  await run("unshare", words, { timeoutSeconds: 900 });
  const boot = join(root, "boot");
  for (const name of ["vmlinuz", "initrd"] as const) {
    const found = readdirSync(boot).find((file) => file.startsWith(`${name}-`) || file.startsWith(`${name}.img-`));
    if (found === undefined) throw new Error(`The host's Debian has no ${name}`);
    copyFileSync(join(boot, found), join(directory, name));
  }
  const raw = join(directory, "raw");
  const options = ["-E", "lazy_itable_init=0,lazy_journal_init=0", "-m", "0"];
  await run("mke2fs", ["-q", "-t", "ext4", ...options, "-d", root, raw, "4G"]);
  await run("qemu-img", ["convert", "-O", "qcow2", raw, join(directory, "host.qcow2")]);
  rmSync(raw);
  rmSync(root, { recursive: true });
}
