// Whether the command that knocks at guests can be started at all. Whether it reaches one, the probe instance shows.

import type { ProbeSettings, ProbeTarget } from "../readiness/index.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { isProgramOn } from "./programs.ts";

/** `path`: the search path, as PATH has it. */
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
    program.includes("/")
      ? `${program} is no program on this machine`
      : `there is no ${program} on this machine's PATH`,
    "install it, or correct ssh_probe.command (an absolute path is surest: a service's PATH is short)",
  );
}
