// Whether the command that knocks at guests can be started at all. Whether it reaches one, the probe instance shows.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { IncusSettings } from "../settings.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** `path`: the search path, as PATH has it. */
export function* checkSshProbe({ sshProbe }: Pick<IncusSettings, "sshProbe">, path: string): Generator<Finding> {
  if (sshProbe.kind === "tcp") {
    return yield ok("SSH probe", `a connection from this machine to port ${sshProbe.port} of the guest`);
  }
  const [program = ""] = sshProbe.command;
  const found = program.includes("/")
    ? isProgram(program)
    : path.split(delimiter).some((directory) => isProgram(join(directory, program)));
  if (found) return yield ok("SSH probe", `by the command ${program}`);
  yield problem(
    "SSH probe",
    program.includes("/")
      ? `${program} is no program on this machine`
      : `there is no ${program} on this machine's PATH`,
    "install it, or correct ssh_probe.command (an absolute path is surest: a service's PATH is short)",
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
