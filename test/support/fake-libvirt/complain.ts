// How the fake's virsh fails: with the sentences that libvirt 9.0 was seen to print.

import { VirshError } from "../../../src/engines/libvirt/virsh/virsh-error.ts";

/** What virsh ends with after printing these as its "error: " lines. */
export function complaint(...lines: readonly string[]): VirshError {
  return VirshError.ended(1, null, printed(lines));
}

/** The lines as virsh prints them. */
export function printed(lines: readonly string[]): string {
  return lines.map((line) => `error: ${line}`).join("\n");
}

/** Runs it; what it complains of comes after this line, as virsh says first what it could not do. */
export function inside<T>(line: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof VirshError) throw complaint(line, error.complaint);
    throw error;
  }
}
