// Where in the guest a file system is mounted: in the interface's directory under its name, unless the launch says
// otherwise. Source: decisions, Launch, The lambda edition and section 10.
//
// Invariant: a valid mount point is one plain path for shells, engines and cloud-init alike, covers nothing that the
// guest needs (the system, a home directory with its keys, the directories of other mounts), and neither hides nor is
// hidden by another one of its instance. Used by launching/order.ts and mounts.ts, and by the console, which validates
// before it sends: so this uses nothing that browsers lack.

/** A file system of a launch with a mount point of its own. */
export interface Mount {
  /** As the client wrote it. */
  readonly fileSystemId: string;
  readonly mountPoint: string;
}

/** The default mount point of a file system; `directory`: of the interface. */
export function defaultMountPoint(name: string, directory = "/mnt"): string {
  return `${directory}/${name}`;
}

/** Allowed by the public clients of the lambda family too. */
export const mostMountPointBytes = 254;

/** No leading dot: neither `.` and `../rental` nor a hidden directory such as .ssh. */
const segment = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The pattern of the whole path, for the documents. */
export const mountPointPattern = `^(/${segment.source.slice(1, -1)})+$`;

/** A mount here would break the guest, or hide what others expect there. */
const systemDirectories: ReadonlySet<string> = new Set([
  ...["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run", "sbin", "snap"],
  ...["sys", "tmp", "usr", "var"],
]);

/** These may contain mount points but not be one. */
const directoriesOfOthers: ReadonlySet<string> = new Set(["home", "media", "mnt", "opt", "root", "srv"]);

/** The rule that the path breaks, in one sentence; undefined if valid. */
export function checkMountPoint(path: string): string | undefined {
  if (new TextEncoder().encode(path).length > mostMountPointBytes) return `Give at most ${mostMountPointBytes} bytes.`;
  const [root, first = "", ...rest] = path.split("/");
  if (root !== "" || ![first, ...rest].every((part) => segment.test(part))) {
    return "Give an absolute path of letters, digits, '.', '_' and '-', such as /data/models: no part of it empty or beginning with '.' or '-'.";
  }
  if (systemDirectories.has(first)) return `Choose a place outside of /${first}: the system needs that.`;
  if (rest.length === 0 && directoriesOfOthers.has(first)) return `Choose a place below /${first}.`;
  if (rest.length === 1 && first === "home") return `Choose a place below ${path}: that may be somebody's home.`;
  return undefined;
}

/** The first two of these paths that are equal or nested; undefined if there are none. */
export function overlapping<T extends { readonly mountPoint: string }>(mounts: readonly T[]): [T, T] | undefined {
  // Sorted with the separator as the lowest character, a nested path comes right after its parent.
  const sorted = mounts.toSorted((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1));
  for (const [at, outer] of sorted.entries()) {
    const inner = sorted[at + 1];
    if (inner !== undefined && `${inner.mountPoint}/`.startsWith(`${outer.mountPoint}/`)) return [outer, inner];
  }
  return undefined;
}

function inOrder({ mountPoint }: { readonly mountPoint: string }): string {
  return mountPoint.replaceAll("/", "\u0001");
}
