// What goes into each image that can be built. What its kinds share stands once. Used by build.ts.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What machines are made of an image: containers of Incus and LXD, or virtual machines that boot by UEFI. */
export const imageKinds = ["container", "virtual-machine"] as const;
export type ImageKind = (typeof imageKinds)[number];

/** Everything that one kind of one image is made by. */
export type Recipe = ContainerRecipe | VirtualMachineRecipe;

interface AnyRecipe {
  readonly name: string;
  /** Debian's name of the release. */
  readonly suite: string;
  readonly packages: readonly string[];
  /** Files that are not unpacked, as dpkg's path-exclude and path-include. */
  readonly paths: readonly string[];
  /** Shell scripts that mmdebstrap runs with the path of the new root, in this order. */
  readonly scripts: {
    /** Before the packages are installed, on what is essential. */
    readonly before: readonly URL[];
    readonly last: readonly URL[];
  };
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
  /** What the disk claims to be, hence the smallest disk of a machine; what is free in it takes no room in the image. */
  readonly sizeMib: number;
  /** The EFI system partition, which is FAT32 and holds the boot loader and the kernels. */
  readonly espMib: number;
  readonly journalMib: number;
}

// Where the tools of the other architecture are called otherwise.
const arm = process.arch === "arm64";

const debian12 = {
  name: "debian-12",
  suite: "bookworm",
  packages: [
    // Keeps usrmerge and all of Perl away, which has nothing to do in a root that is merged from the start: 65 MB.
    "usr-is-merged",
    // A session of one's own needs libpam-systemd: `systemctl --user`, containers without root.
    ...["systemd", "systemd-sysv", "libpam-systemd", "dbus"],
    ...["openssh-server", "cloud-init", "sudo"],
    ...["iproute2", "iputils-ping", "netbase"],
    // What people reach for first; the rest they install.
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
    // Of the 1.5 s from a start to SSH, the network takes 0.13 s with these, so nothing else can save more than that.
    packages: [...debian12.packages, "ifupdown", "isc-dhcp-client"],
    scripts: { before: [], last: [script("debian-12-container.sh"), script("debian-12.sh")] },
    properties: { os: "debian", release: "bookworm", description: "Debian 12, for rented instances" },
  },
  {
    ...debian12,
    kind: "virtual-machine",
    packages: [
      ...debian12.packages,
      // Not the cloud kernel, which is 290 MB smaller and useless with many GPUs: it knows no DRM and no I2C, so neither
      // AMD's driver nor NVIDIA's display and OpenGL exist for it; nor SATA, where many a hypervisor puts the seed.
      arm ? "linux-image-arm64" : "linux-image-amd64",
      ...["systemd-boot", "initramfs-tools", "zstd"],
      // Checks at boot, and growing to the size of the disk.
      ...["e2fsprogs", "dosfstools", "fdisk", "cloud-guest-utils"],
      // ifupdown would wait until udev has found every device, and knows its interfaces by name. networkd is in systemd.
      ...["systemd-resolved", "systemd-timesyncd"],
    ],
    scripts: {
      before: [script("debian-12-kernel.sh")],
      last: [script("debian-12-virtual-machine.sh"), script("debian-12.sh")],
    },
    // Three kernels, each with an initial file system that holds every driver, need 200 MB of the EFI system partition.
    disk: { sizeMib: 4096, espMib: 512, journalMib: 128 },
  },
];

/** The images that can be built. */
export const imageNames: readonly string[] = [...new Set(recipes.map(({ name }) => name))];

/** What the file of an image is called where nobody says otherwise. */
export function imageFileName(name: string, kind: ImageKind): string {
  return kind === "container" ? `${name}.tar.zst` : `${name}.qcow2`;
}

/** Undefined for a name that is not among `imageNames`, or not of this kind. */
export function recipeOf(name: string, kind: ImageKind = "container"): Recipe | undefined {
  return recipes.find((recipe) => recipe.name === name && recipe.kind === kind);
}

/** 64 hex digits that change with whatever the recipe says, its kind as well, not with the packages' versions. */
export function recipeDigest(recipe: Recipe): string {
  const { scripts, ...rest } = recipe;
  const hash = createHash("sha256").update(JSON.stringify(rest));
  for (const when of [scripts.before, scripts.last]) {
    hash.update(`\n${when.length}\n`);
    for (const file of when) hash.update(createHash("sha256").update(readFileSync(file)).digest());
  }
  return hash.digest("hex");
}

function script(name: string): URL {
  return new URL(name, import.meta.url);
}
