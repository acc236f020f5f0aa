// Which lab is whose. A slot's directory holds one file whose name tells its owner, a process; a slot whose owner has
// died may be taken over. Both steps are a rename, which only one can win, so runs of several checkouts do not meet.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Layout, labsDirectory, layoutOf } from "./layout.ts";
import { identityOf, isAlive } from "./processes.ts";

const SLOTS = 100;

function ourMark(): string {
  const us = identityOf(process.pid);
  if (us === undefined) throw new Error("BUG: there is no process of our own in /proc");
  return `owner-${us.pid}-${us.started}`;
}

/** Makes the slot ours where nobody has it. False: somebody has, or had, and left it. */
export function takeFree(layout: Layout): boolean {
  mkdirSync(labsDirectory, { recursive: true, mode: 0o711 });
  const prepared = mkdtempSync(join(labsDirectory, ".new-"));
  // Containers are of other users, and their root file systems are below.
  chmodSync(prepared, 0o711);
  writeFileSync(join(prepared, ourMark()), "");
  try {
    // Fails where a directory is that is not empty, and a slot that is taken is not.
    renameSync(prepared, layout.directory);
    return true;
  } catch {
    rmSync(prepared, { recursive: true, force: true });
    return false;
  }
}

/** Makes the slot of an owner that has died ours. False: its owner lives, somebody was faster, or there is none. */
export function takeOver(layout: Layout): boolean {
  const mark = entriesOf(layout.directory).find((name) => name.startsWith("owner-"));
  const [, pid, started] = /^owner-(\d+)-(\d+)$/.exec(mark ?? "") ?? [];
  if (mark === undefined || pid === undefined || started === undefined) return false;
  if (isAlive({ pid: Number(pid), started })) return false;
  try {
    renameSync(join(layout.directory, mark), join(layout.directory, ourMark()));
    return true;
  } catch {
    return false;
  }
}

/** Whether the slot is ours, the process that asks. */
export function isOurs(layout: Layout): boolean {
  return entriesOf(layout.directory).includes(ourMark());
}

/** Everything in the slot's directory but the owner's mark. */
export function emptyDirectory(layout: Layout): void {
  for (const entry of entriesOf(layout.directory)) {
    if (!entry.startsWith("owner-")) rmSync(join(layout.directory, entry), { recursive: true, force: true });
  }
}

/** Gives up a slot that is ours and has been cleaned. */
export function release(layout: Layout): void {
  emptyDirectory(layout);
  // The mark last: what is interrupted before that is taken over, and an empty directory counts as free.
  rmSync(layout.directory, { recursive: true, force: true });
}

/** The slots that somebody has, or had. */
export function usedSlots(): Layout[] {
  return entriesOf(labsDirectory).flatMap((name) => {
    const slot = /^lessor(\d{1,2})$/.exec(name)?.[1];
    return slot === undefined ? [] : [layoutOf(Number(slot))];
  });
}

export function allSlots(): Layout[] {
  return Array.from({ length: SLOTS }, (_, slot) => layoutOf(slot));
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
