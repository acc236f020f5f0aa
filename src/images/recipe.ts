// What goes into each image that can be built. Used by build.ts.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Recipe {
  readonly name: string;
  /** Debian's name of the release. */
  readonly suite: string;
  readonly packages: readonly string[];
  /** Files that are not unpacked, as dpkg's path-exclude and path-include. */
  readonly paths: readonly string[];
  /** A shell script that mmdebstrap runs last, with the path of the new root. */
  readonly script: URL;
  /** Of metadata.yaml; shown by the cluster's image list. */
  readonly properties: Readonly<Record<string, string>>;
}

const debian12: Recipe = {
  name: "debian-12",
  suite: "bookworm",
  packages: [
    // Keeps usrmerge and all of Perl away, which has nothing to do in a root that is merged from the start: 65 MB.
    "usr-is-merged",
    // A session of one's own needs libpam-systemd: `systemctl --user`, containers without root.
    ...["systemd", "systemd-sysv", "libpam-systemd", "dbus"],
    ...["openssh-server", "cloud-init", "sudo"],
    // Of the 1.5 s from a start to SSH, the network takes 0.13 s with these, so nothing else can save more than that.
    ...["ifupdown", "isc-dhcp-client", "iproute2", "iputils-ping", "netbase"],
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
  script: new URL("debian-12.sh", import.meta.url),
  properties: { os: "debian", release: "bookworm", description: "Debian 12, fit for renting" },
};

const recipes: readonly Recipe[] = [debian12];

/** The images that can be built. */
export const imageNames: readonly string[] = recipes.map(({ name }) => name);

/** Undefined for a name that is not among `imageNames`. */
export function recipeOf(name: string): Recipe | undefined {
  return recipes.find((recipe) => recipe.name === name);
}

/** 64 hex digits that change with whatever the recipe says, not with the packages' versions. */
export function recipeDigest(recipe: Recipe): string {
  const { script, ...rest } = recipe;
  return createHash("sha256").update(JSON.stringify(rest)).update(readFileSync(script)).digest("hex");
}
