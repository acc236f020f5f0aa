// Whether this machine has the programs that the engine starts.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { isProgramOn } from "../../check/programs.ts";
import { isoPrograms } from "../seed.ts";
import type { LibvirtSettings } from "../settings/settings.ts";

/** What became of it: without virsh nothing can be asked, without the others no machine starts. */
export type Tools = "all there" | "no machines" | "no virsh";

/** `path`: the search path, as PATH has it. */
export function* checkTools({ hosts }: Pick<LibvirtSettings, "hosts">, path: string): Generator<Finding, Tools> {
  const what = "programs";
  const has = (program: string) => isProgramOn(path, program);
  if (!has("virsh")) {
    yield problem(what, "there is no virsh on this machine's PATH", "apt-get install libvirt-clients");
    return "no virsh";
  }
  let outcome: Tools = "all there";
  if (hosts.some(({ uri }) => uri.startsWith("qemu+ssh:")) && !has("ssh")) {
    yield problem(what, "there is no ssh on this machine's PATH", "apt-get install openssh-client");
    outcome = "no machines";
  }
  const iso = isoPrograms.find(has);
  if (iso === undefined) {
    yield problem(
      what,
      `there is none of ${listed(isoPrograms)} on this machine's PATH, to write what guests are told`,
      "apt-get install genisoimage (or xorriso)",
    );
    outcome = "no machines";
  }
  const script = has("script");
  if (!script) {
    yield warning(
      what,
      "there is no script on this machine's PATH, without which no console and no shell can be opened",
      "apt-get install bsdutils",
    );
  }
  if (iso !== undefined) yield ok(what, listed(["virsh", iso, ...(script ? ["script"] : [])]));
  return outcome;
}
