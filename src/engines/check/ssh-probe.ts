// Whether the SSH probe command can be started. Whether it reaches a guest is tested with the test instance.

import type { ProbeSettings, ProbeTarget } from "../readiness/probe.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { isProgramOn } from "./programs.ts";

/** `path`: the search path, in the form of PATH. */
export function* checkSshProbe(
  { sshProbe }: { readonly sshProbe: ProbeSettings & Pick<ProbeTarget, "port"> },
  path: string,
): Generator<Finding> {
  if (sshProbe.kind === "tcp") {
    return yield ok("SSH probe", `a connection from this machine to port ${sshProbe.port} of the guest`);
  }
  const [program = ""] = sshProbe.command;
  if (isProgramOn(path, program)) return yield ok("SSH probe", `by the command ${program}`);
  yield problem(
    "SSH probe",
    program.includes("/") ? `${program} is not a program on this machine` : `${program} is not on this machine's PATH`,
    "install it, or correct ssh_probe.command (prefer an absolute path: a service's PATH is short)",
  );
}
