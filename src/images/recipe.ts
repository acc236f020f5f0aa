// The contents of each image that can be built, with the common parts of its kinds. Used by build.ts.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What runs from an image: containers of Incus and LXD, or virtual machines that boot by UEFI. */
export const imageKinds = ["container", "virtual-machine"] as const;
export type ImageKind = (typeof imageKinds)[number];

/** The whole recipe of one kind of one image. */
export type Recipe = ContainerRecipe | VirtualMachineRecipe;

interface AnyRecipe {
  readonly name: string;
  /** Debian's name of the release. */
  readonly suite: string;
  readonly packages: readonly string[];
  /** Files that are not unpacked: dpkg's path-exclude and path-include. */
  readonly paths: readonly string[];
  /** Shell scripts that mmdebstrap runs with the path of the new root, in this order. */
  readonly scripts: {
    /** Before the packages are installed, with only the essential ones. */
    readonly before: readonly URL[];
    readonly last: readonly URL[];
  };
  /** What the scripts put into the root, besides their own text. Undefined: nothing. */
  readonly files?: readonly URL[];
}

export interface ContainerRecipe extends AnyRecipe {
  readonly kind: "container";
  /** Of metadata.yaml; shown by the cluster's image list. */
  readonly properties: Readonly<Record<string, string>>;
}

export interface VirtualMachineRecipe extends AnyRecipe {
  readonly kind: "virtual-machine";
  readonly disk: DiskLayout;
}

export interface DiskLayout {
  /** The disk's nominal size, hence the smallest disk of a machine; its free space takes no room in the image. */
  readonly sizeMib: number;
  /** The EFI system partition, which is FAT32 and holds the boot loader and the kernels. */
  readonly espMib: number;
  readonly journalMib: number;
}

// For tools that have other names on the other architecture.
const arm = process.arch === "arm64";

const debian12 = {
  name: "debian-12",
  suite: "bookworm",
  packages: [
    // Excludes usrmerge and all of Perl, which a root that is merged from the start does not need: 65 MB.
    "usr-is-merged",
    // User sessions need libpam-systemd: `systemctl --user`, rootless containers.
    ...["systemd", "systemd-sysv", "libpam-systemd", "dbus"],
    ...["openssh-server", "cloud-init", "sudo"],
    ...["iproute2", "iputils-ping", "netbase"],
    // Commonly used tools; users install the rest.
    ...["procps", "locales", "ca-certificates", "curl", "less", "nano", "vim-tiny", "rsync"],
  ],
  // A root of 12,000 files instead of 17,000: a cluster on plain directories unpacks and remaps it for each machine.
  paths: [
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/info/*",
    "path-exclude=/usr/share/lintian/*",
    "path-exclude=/usr/share/locale/*",
    "path-include=/usr/share/locale/locale.alias",
  ],
};

const recipes: readonly Recipe[] = [
  {
    ...debian12,
    kind: "container",
    // Of the 1.5 s from start to SSH, the network takes 0.13 s with these, the most that other settings could save.
    packages: [...debian12.packages, "ifupdown", "isc-dhcp-client"],
    scripts: { before: [], last: [beside("debian-12-container.sh"), beside("debian-12.sh")] },
    properties: { os: "debian", release: "bookworm", description: "Debian 12, for rented instances" },
  },
  {
    ...debian12,
    kind: "virtual-machine",
    packages: [
      ...debian12.packages,
      // Not the cloud kernel, which is 290 MB smaller but unusable with many GPUs: it lacks DRM and I2C, so neither
      // AMD's driver nor NVIDIA's display and OpenGL work; and SATA, where many hypervisors attach the seed.
      arm ? "linux-image-arm64" : "linux-image-amd64",
      ...["systemd-boot", "initramfs-tools", "zstd"],
      // Checks at boot, and growing to the size of the disk.
      ...["e2fsprogs", "dosfstools", "fdisk", "cloud-guest-utils"],
      // ifupdown would wait until udev has found every device, and needs interface names. networkd is in systemd.
      ...["systemd-resolved", "systemd-timesyncd"],
    ],
    scripts: {
      before: [beside("debian-12-kernel.sh")],
      last: [beside("debian-12-virtual-machine.sh"), beside("debian-12.sh")],
    },
    // Three kernels, each with an initial file system of every driver, need 200 MB of the EFI system partition.
    disk: { sizeMib: 4096, espMib: 512, journalMib: 128 },
  },
];

/** The images that can be built. */
export const imageNames: readonly string[] = [...new Set(recipes.map(({ name }) => name))];

/** The default file name of an image. */
export function imageFileName(name: string, kind: ImageKind): string {
  return kind === "container" ? `${name}.tar.zst` : `${name}.qcow2`;
}

/**
 * Undefined for a name that is not in `imageNames`, or not of this kind. `metrics`: with the agent that reports metrics
 * (agent.py).
 */
export function recipeOf(name: string, kind: ImageKind = "container", metrics = false): Recipe | undefined {
  const recipe = recipes.find((one) => one.name === name && one.kind === kind);
  return metrics && recipe !== undefined ? withAgent(recipe) : recipe;
}

function withAgent(recipe: Recipe): Recipe {
  const { before, last } = recipe.scripts;
  return {
    ...recipe,
    packages: [...recipe.packages, "python3"],
    // The last script removes what the build has left.
    scripts: { before, last: [...last.slice(0, -1), beside("debian-12-agent.sh"), ...last.slice(-1)] },
    files: [beside("agent.py")],
  };
}

/** 64 hex digits that change with the recipe and its kind, not with the versions of packages. */
export function recipeDigest(recipe: Recipe): string {
  const { scripts, files, ...rest } = recipe;
  const hash = createHash("sha256").update(JSON.stringify(rest));
  for (const when of [scripts.before, scripts.last, ...(files === undefined ? [] : [files])]) {
    hash.update(`\n${when.length}\n`);
    for (const file of when) hash.update(createHash("sha256").update(readFileSync(file)).digest());
  }
  return hash.digest("hex");
}

function beside(name: string): URL {
  return new URL(name, import.meta.url);
}
