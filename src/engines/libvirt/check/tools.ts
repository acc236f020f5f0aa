// Whether this machine has the programs that the engine starts.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { isProgramOn } from "../../check/programs.ts";
import { isoPrograms } from "../seed.ts";
import type { LibvirtSettings } from "../settings/settings.ts";

/** The result: without virsh no request works, without the others no machine starts. */
export type Tools = "all there" | "no machines" | "no virsh";

/** `path`: the search path, in the form of PATH. */
export function* checkTools({ hosts }: Pick<LibvirtSettings, "hosts">, path: string): Generator<Finding, Tools> {
  const what = "programs";
  const has = (program: string) => isProgramOn(path, program);
  if (!has("virsh")) {
    yield problem(what, "virsh is not on this machine's PATH", "apt-get install libvirt-clients");
    return "no virsh";
  }
  let outcome: Tools = "all there";
  if (hosts.some(({ uri }) => uri.startsWith("qemu+ssh:")) && !has("ssh")) {
    yield problem(what, "ssh is not on this machine's PATH", "apt-get install openssh-client");
    outcome = "no machines";
  }
  const iso = isoPrograms.find(has);
  if (iso === undefined) {
    yield problem(
      what,
      `none of ${listed(isoPrograms)} is on this machine's PATH; one is needed to write the guests' settings`,
      "apt-get install genisoimage (or xorriso)",
    );
    outcome = "no machines";
  }
  const script = has("script");
  if (!script) {
    yield warning(
      what,
      "the program script is not on this machine's PATH; consoles and shells need it",
      "apt-get install bsdutils",
    );
  }
  if (iso !== undefined) yield ok(what, listed(["virsh", iso, ...(script ? ["script"] : [])]));
  return outcome;
}
