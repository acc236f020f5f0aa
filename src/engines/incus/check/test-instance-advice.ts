// What to do when the test instance failed, by how it failed. Used by test-instance.ts.

import { EngineError, type MachineReport } from "../../engine.ts";
import type { IncusSettings } from "../settings/settings.ts";

const byCode: Readonly<Record<string, string>> = {
  "image-missing": "import the image: lessor image import",
  "not-supported": "the member cannot run this kind, or rejects a device or setting: see its message and its log",
  "host-full": "free memory on the member, or space in the pool",
  "host-unreachable": "check the member's daemon",
  "engine-unreachable": "check the daemons and the network between",
  "no-such-host": "check that it is still a member",
  "probe-gone": "check whether something else removes instances on this cluster",
  "probe-halted": "check that the image boots: try it manually with the console open",
};

function error(failed: unknown, { kind }: IncusSettings): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  if (known !== undefined) return known;
  return `try it manually on the member, and read the daemon's log (${kind})`;
}

/** By its state when the time was up. Undefined: it was not created by then. */
function late(last: MachineReport | undefined, { kind, nic, sshProbe }: IncusSettings): string {
  if (last === undefined)
    return "the member creates it slowly, because a large image is unpacked first; try a longer --deadline";
  if (last.untold === true) return "the guest's agent does not respond: the image needs incus-agent (or lxd-agent)";
  if (last.ip === undefined) {
    const where = nic.kind === "network" ? nic.network : `profile ${nic.profile}`;
    const agent = kind === "virtual-machine" ? ", and incus-agent (or lxd-agent)" : "";
    return `the guest got no address: check that ${where} assigns addresses, and that the image has cloud-init and DHCP${agent}`;
  }
  return sshProbe.kind === "tcp"
    ? "if this machine cannot reach the members' guests, set a command in ssh_probe; otherwise check that the image has an SSH server"
    : "try ssh_probe.command manually with this address; if it reaches the guest, check that the image has an SSH server";
}

export const adviceFor = { error, late } as const;
