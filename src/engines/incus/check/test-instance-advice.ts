// What to do when the probe instance failed, by how it failed. Used by probe.ts.

import { EngineError, type MachineReport } from "../../engine.ts";
import type { IncusSettings } from "../settings/settings.ts";

const byCode: Readonly<Record<string, string>> = {
  "image-missing": "import the image: lessor image import",
  "not-supported": "the member cannot run this kind, or refuses a device or setting: see its own words, and its log",
  "host-full": "make room on the member: memory, or the pool",
  "host-unreachable": "look at the member's daemon",
  "engine-unreachable": "look at the daemons, and the network between",
  "no-such-host": "is it still a member?",
  "probe-gone": "does something else remove instances on this cluster?",
  "probe-halted": "look at the image: does it boot by itself? Try it by hand with the console open",
};

function error(failed: unknown, { kind }: IncusSettings): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  if (known !== undefined) return known;
  return `try it by hand on the member, and look at the daemon's log (${kind})`;
}

/** By what it was at when its time was up. Undefined: it was not made by then. */
function late(last: MachineReport | undefined, { kind, nic, sshProbe }: IncusSettings): string {
  if (last === undefined)
    return "the member is slow to make it: a large image is unpacked at first; try a longer --deadline";
  if (last.untold === true) return "the guest's agent does not answer: the image needs incus-agent (or lxd-agent)";
  if (last.ip === undefined) {
    const where = nic.kind === "network" ? nic.network : `profile ${nic.profile}`;
    const agent = kind === "virtual-machine" ? ", and incus-agent (or lxd-agent)" : "";
    return `the guest got no address: does ${where} hand out addresses, and has the image cloud-init and DHCP${agent}?`;
  }
  return sshProbe.kind === "tcp"
    ? "can this machine reach the members' guests? If not, give a command in ssh_probe; otherwise, has the image an SSH server?"
    : "try ssh_probe.command by hand with this address; if it reaches the guest, has the image an SSH server?";
}

export const adviceFor = { error, late } as const;
