// Which lab is whose. A slot's directory holds one file whose name tells its owner, a process; a slot whose owner has
// died may be taken over. Both steps are a rename, which only one can win, so runs of several checkouts do not meet.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Grounds, Kind } from "./grounds.ts";
import { identityOf, isAlive } from "./processes.ts";

const SLOTS = 100;

function ourMark(): string {
  const us = identityOf(process.pid);
  if (us === undefined) throw new Error("BUG: there is no process of our own in /proc");
  return `owner-${us.pid}-${us.started}`;
}

/** Makes the slot ours where nobody has it. False: somebody has, or had, and left it. */
export function takeFree({ directory }: Grounds): boolean {
  const labs = dirname(directory);
  mkdirSync(labs, { recursive: true, mode: 0o711 });
  const prepared = mkdtempSync(join(labs, ".new-"));
  // Guests may run as other users, and their disks are below.
  chmodSync(prepared, 0o711);
  writeFileSync(join(prepared, ourMark()), "");
  try {
    // Fails where a directory is that is not empty, and a slot that is taken is not.
    renameSync(prepared, directory);
    return true;
  } catch {
    rmSync(prepared, { recursive: true, force: true });
    return false;
  }
}

/** Makes the slot of an owner that has died ours. False: its owner lives, somebody was faster, or there is none. */
export function takeOver({ directory }: Grounds): boolean {
  const mark = entriesOf(directory).find((name) => name.startsWith("owner-"));
  const [, pid, started] = /^owner-(\d+)-(\d+)$/.exec(mark ?? "") ?? [];
  if (mark === undefined || pid === undefined || started === undefined) return false;
  if (isAlive({ pid: Number(pid), started })) return false;
  try {
    renameSync(join(directory, mark), join(directory, ourMark()));
    return true;
  } catch {
    return false;
  }
}

/** Whether the slot is ours, the process that asks. */
export function isOurs({ directory }: Grounds): boolean {
  return entriesOf(directory).includes(ourMark());
}

/** Everything in the slot's directory but the owner's mark. */
export function emptyDirectory({ directory }: Grounds): void {
  for (const entry of entriesOf(directory)) {
    if (!entry.startsWith("owner-")) rmSync(join(directory, entry), { recursive: true, force: true });
  }
}

/** Gives up a slot that is ours and has been cleaned. */
export function release(grounds: Grounds): void {
  const { directory } = grounds;
  emptyDirectory(grounds);
  // The mark last: what is interrupted before that is taken over, and an empty directory counts as free.
  rmSync(directory, { recursive: true, force: true });
}

/** The slots that somebody has, or had. */
export function usedSlots<L extends Grounds>(kind: Kind<L>): L[] {
  return entriesOf(kind.directory).flatMap((name) => {
    const slot = name.startsWith(kind.prefix) ? name.slice(kind.prefix.length) : "";
    return /^\d{1,2}$/.test(slot) ? [kind.layoutOf(Number(slot))] : [];
  });
}

export function allSlots<L extends Grounds>(kind: Kind<L>): L[] {
  return Array.from({ length: SLOTS }, (_, slot) => kind.layoutOf(slot));
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
