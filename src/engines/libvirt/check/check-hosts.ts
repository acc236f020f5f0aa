// The whole check of the hosts of one engine, from the connection to a test instance on each. Used by `lessor engine
// check`.
//
// Invariant: it changes nothing but its own test instances, and short-lived files in the hosts' memory. A failure at
// one host ends only that host's checks.

import { type Finding, warning } from "../../check/finding.ts";
import { guarded } from "../../check/guarded.ts";
import { checkIsolation } from "../../check/isolation.ts";
import type { CheckOptions } from "../../check/options.ts";
import { checkSshProbe } from "../../check/ssh-probe.ts";
import { probeInstallation } from "../../check/test-instance-label.ts";
import { sideBySide } from "../bounded-concurrency.ts";
import { LibvirtEngine } from "../engine.ts";
import type { HostConnection } from "../host-connection.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { openVirsh, type Virsh } from "../virsh/virsh.ts";
import { checkClock } from "./clock.ts";
import { checkFirmware } from "./firmware.ts";
import { helperStep } from "./gpu-helper.ts";
import { checkHardware } from "./hardware.ts";
import { checkImages, imageNames } from "./images.ts";
import { checkFilter, targetsOn } from "./isolation.ts";
import { meetHosts } from "./meeting.ts";
import { checkNetwork } from "./network.ts";
import { checkLeftovers, removeLeftovers } from "./orphans.ts";
import { checkPool } from "./pool.ts";
import { checkPowerButton } from "./power-button.ts";
import { on, type Step, type Subject } from "./subject.ts";
import { probeOn } from "./test-instance.ts";
import { checkTools } from "./tools.ts";
import { checkAccelerator } from "./virtualization.ts";

export interface HostCheckOptions extends CheckOptions {
  /** The connection to a host; replaced in tests. */
  readonly connect?: (uri: string) => Virsh;
}

/** Yields findings as they come. Throws only the reason of `signal`, after its test instances are removed. */
export async function* checkHosts(
  settings: LibvirtSettings,
  options: HostCheckOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { connect = openVirsh, path, onProgress, gpuHelper } = options;
  const tools = yield* checkTools(settings, path);
  if (tools === "no virsh") return;
  const reaching = [...checkSshProbe(settings, path)];
  yield* reaching;
  onProgress("connecting to the hosts");
  const places = settings.hosts.map((host) => {
    return { host, settings, installation: probeInstallation, virsh: connect(host.uri) };
  });
  const met = yield* meetHosts(places, signal);
  const unfit = new Set<HostConnection>();
  onProgress("checking the hosts");
  const all = gpuHelper === undefined ? steps : [...steps, helperRow(helperStep(gpuHelper))];
  yield* sideBySide(met, (subject) => checkHost(subject, all, () => unfit.add(subject.place), signal));
  if (options.probe === undefined) return;
  const hopeless = tools !== "all there" || reaching.some(({ verdict }) => verdict === "problem");
  const fit = hopeless ? [] : met.filter(({ place }) => !unfit.has(place));
  for (const { place } of met.filter((subject) => !fit.includes(subject))) {
    yield warning(
      on(place, "probe"),
      "no test instance was created, because of the problems above",
      "fix them, then run the check again",
    );
  }
  yield* probeAll(settings, fit, options, options.probe, signal);
}

interface StepRow {
  readonly what: string;
  readonly step: Step;
  /** `basis`: required to create machines. `upon`: requires the steps before it. */
  readonly is: "basis" | "upon" | "apart";
  readonly seconds: number;
}

const steps: readonly StepRow[] = [
  { what: "pool", step: checkPool, is: "basis", seconds: 30 },
  { what: "network", step: checkNetwork, is: "basis", seconds: 30 },
  { what: "isolation", step: checkFilter, is: "basis", seconds: 30 },
  { what: "firmware", step: checkFirmware, is: "basis", seconds: 30 },
  { what: "accelerator", step: checkAccelerator, is: "basis", seconds: 60 },
  { what: "clock", step: checkClock, is: "apart", seconds: 30 },
  { what: "hardware", step: checkHardware, is: "apart", seconds: 60 },
  { what: "images", step: checkImages, is: "upon", seconds: 60 },
  { what: "leftovers", step: checkLeftovers, is: "upon", seconds: 60 },
];

/** Longer than the longest timeout of its command, twice. */
const helperRow = (step: Step): StepRow => ({ what: "GPU helper", step, is: "apart", seconds: 2000 });

const logAdvice = "read libvirt's log on the host, then run the check again";

async function* checkHost(
  subject: Subject,
  all: readonly StepRow[],
  onUnfit: () => void,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  let hasPool = true;
  for (const { what, step, is, seconds } of all) {
    if (is === "upon" && !hasPool) continue;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(new Error(`no response within ${seconds} s`)), seconds * 1000);
    const findings = step(subject, AbortSignal.any([signal, patience.signal]));
    for await (const finding of guarded(on(subject.place, what), findings, logAdvice, signal)) {
      yield finding;
      if (finding.verdict !== "problem" || is === "apart") continue;
      onUnfit();
      if (step === checkPool) hasPool = false;
    }
    clearTimeout(timer);
    if (!patience.signal.aborted) continue;
    // Reported already; further requests would take as long.
    onUnfit();
    return;
  }
}

/** One after the other on every host; on the first also two at once. */
async function* probeAll(
  settings: LibvirtSettings,
  hosts: readonly Subject[],
  { onProgress, connect = openVirsh }: HostCheckOptions,
  { image: wanted, deadlineSeconds }: NonNullable<CheckOptions["probe"]>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (hosts.length === 0) return;
  // Only the tested hosts: events of others are not needed.
  const engine = new LibvirtEngine({ ...settings, hosts: hosts.map(({ place }) => place.host) }, probeInstallation, {
    connect,
  });
  try {
    for (const [index, subject] of hosts.entries()) {
      const { place } = subject;
      const what = on(place, "probe");
      yield* guarded(on(place, "leftovers"), removeLeftovers(subject, engine, signal), logAdvice, signal);
      const image = wanted ?? Object.keys(settings.images)[0] ?? (await firstImage(place, signal));
      if (image === undefined) {
        yield warning(what, "there is no image for a test instance", "import an image");
        continue;
      }
      const probe = { engine, place, image, deadlineSeconds, onProgress };
      const whileUsable: ProbeWork = async function* (machine, ip) {
        if (index === 0) {
          const targets = await targetsOn({ ...place, settings }, signal);
          const order = { neighbor: { ip, advice: keepApart }, ...targets };
          const neighbors: ProbeWork = (second) => checkIsolation(engine, second, order, signal);
          yield* probeOn({ ...probe, what: on(place, "second"), whileUsable: neighbors }, signal);
        }
        yield* checkPowerButton(engine, machine, settings.stopGraceSeconds, signal);
      };
      yield* guarded(what, probeOn({ ...probe, what, whileUsable }, signal), logAdvice, signal);
    }
  } finally {
    await engine.close();
  }
}

type ProbeWork = NonNullable<Parameters<typeof probeOn>[0]["whileUsable"]>;

const keepApart =
  "check that the network is a Linux bridge of libvirt's own, and that the kernel has isolated ports (4.18), before anyone " +
  "before that";

async function firstImage(place: HostConnection, signal: AbortSignal): Promise<string | undefined> {
  return (await imageNames(place, signal).catch(() => []))[0];
}
