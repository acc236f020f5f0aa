// The test instance in a region: the parameters of check/test-instance.ts for a cloud, and what to do when it fails.

import { type Finding, ok, warning, wordsOf } from "../../check/finding.ts";
import { type ProbeOrder as CommonOrder, probeOn as commonProbeOn } from "../../check/test-instance.ts";
import { type Engine, EngineError, type MachineRef, type MachineReport } from "../../engine.ts";
import { machineName } from "../labels.ts";
import type { OpenStackSettings } from "../settings/settings.ts";

export interface ProbeOrder
  extends Pick<
    CommonOrder,
    "engine" | "what" | "host" | "image" | "vcpus" | "memoryGib" | "storageGb" | "deadlineSeconds" | "onProgress"
  > {
  readonly settings: OpenStackSettings;
}

/** Throws only the reason of `signal`, after the removal. */
export function probeOn({ settings, ...order }: ProbeOrder, signal: AbortSignal): AsyncGenerator<Finding> {
  const { sshProbe, hostPrefix } = settings;
  return commonProbeOn(
    {
      ...order,
      sshProbe,
      whileUsable: (machine) => checkTerminal(order.engine, machine, signal),
      // Another start is refused with what Nova could not do.
      explainHalt: (machine, late) => order.engine.start(machine, late),
      probeHost: order.host.slice(hostPrefix.length),
      advice: {
        error: adviceForError,
        late: (last) => adviceIfLate(last, settings),
        remains: (machineId) => `the server and the port ${machineName(machineId)}`,
      },
    },
    signal,
  );
}

/** Without it the console of a customer offers terminals that do not open. */
async function* checkTerminal(engine: Engine, machine: MachineRef, signal: AbortSignal): AsyncGenerator<Finding> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TERMINAL_SECONDS * 1000)]);
  try {
    (await engine.openTerminal(machine, { kind: "console", columns: 80, rows: 24 }, patience)).close();
    yield ok("terminals", "the serial console of the test instance opens");
  } catch (error) {
    signal.throwIfAborted();
    const why = patience.aborted ? `no serial console opens within ${TERMINAL_SECONDS} s` : wordsOf(error);
    yield warning(
      "terminals",
      `${why}: customers have none`,
      "set [serial_console] in nova.conf, and run nova-serialproxy where Lessor reaches its base_url",
    );
  }
}

const TERMINAL_SECONDS = 15;

const byCode: Readonly<Record<string, string>> = {
  "image-missing": "import the image: lessor image import",
  "no-flavor": "create a flavor of this size, or set flavors: created",
  "no-network": "correct network or floating_network of the region",
  "no-capacity": "free capacity, raise quotas, or read the log of nova-scheduler",
  "server-failed": "read the server's fault: openstack server show, and the log of nova-compute",
  "no-such-host": "check that nova-compute still runs on it",
  "not-allowed":
    "give the credentials the role: admin for flavors: created and for a choice of hosts, else set flavors: mapped and pools",
  "engine-unreachable": "check the services and the network between",
  "probe-gone": "check whether something else removes servers in this project",
  "probe-halted": "check that the image boots: read its console with openstack console log show",
};

function adviceForError(failed: unknown): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  return known ?? "try it manually with openstack server create, and read the logs of Nova and Neutron";
}

/** By its state when the time was up. Undefined: it was not created by then. */
function adviceIfLate(last: MachineReport | undefined, { sshProbe }: OpenStackSettings): string {
  if (last === undefined) return "the cloud creates it slowly, or does not respond; try a longer --deadline";
  if (last.power === "starting")
    return "the cloud starts it slowly, because images are copied first; try a longer --deadline";
  const guest =
    "check in its console log that the image has cloud-init and reaches the metadata service (http://169.254.169.254)";
  return sshProbe.kind === "tcp"
    ? `${guest}; if this machine cannot reach the guests' network, set floating_network, or a command in ssh_probe`
    : `${guest}; try ssh_probe.command manually with this address`;
}
