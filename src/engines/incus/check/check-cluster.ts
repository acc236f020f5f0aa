// The whole check of one cluster, from its endpoints to a test instance on every member. Used by `lessor engine check`.
//
// Invariant: it changes nothing but its own test instances. A failed step is a problem, and later steps continue unless
// they depend on it.

import { type Finding, problem, warning, wordsOf } from "../../check/finding.ts";
import { guarded } from "../../check/guarded.ts";
import { checkIsolation } from "../../check/isolation.ts";
import type { CheckOptions } from "../../check/options.ts";
import { checkSshProbe } from "../../check/ssh-probe.ts";
import { probeInstallation } from "../../check/test-instance-label.ts";
import { type Cluster, hostName, openCluster, readServer } from "../cluster.ts";
import { IncusEngine } from "../engine.ts";
import { readMembers } from "../members.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { checkApiLevel } from "./api-level.ts";
import { type Answering, checkEndpoints } from "./endpoints.ts";
import { helpersStep } from "./gpu-helpers.ts";
import { checkHardware } from "./hardware.ts";
import { checkImages, fittingAliases } from "./images.ts";
import { targetsIn } from "./isolation.ts";
import { checkKind, checkMembers, checkRegions } from "./members.ts";
import { checkNetwork } from "./network.ts";
import { removeLeftovers } from "./orphans.ts";
import { checkProject } from "./project.ts";
import { checkStorage } from "./storage.ts";
import { type Step, type Subject, serving, toolOf } from "./subject.ts";
import { probeOn } from "./test-instance.ts";

/** Yields findings as they come. Throws only the reason of `signal`, after its test instances are removed. */
export async function* checkCluster(
  settings: IncusSettings,
  options: CheckOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  options.onProgress("asking the endpoints");
  const endpoints = yield* checkEndpoints(settings, signal);
  if (endpoints.length === 0) return;
  const cluster = openCluster(settings, probeInstallation);
  try {
    yield* checkReached(cluster, endpoints, options, signal);
  } finally {
    await cluster.client.close();
  }
}

interface StepRow {
  readonly what: string;
  readonly step: Step;
  /** `basis`: required to read hosts and create machines. `upon`: requires all of those. */
  readonly is: "basis" | "upon" | "apart";
}

const steps: readonly StepRow[] = [
  { what: "API", step: checkApiLevel, is: "apart" },
  { what: "regions", step: checkRegions, is: "apart" },
  { what: "kind", step: checkKind, is: "apart" },
  { what: "project", step: checkProject, is: "basis" },
  { what: "storage", step: checkStorage, is: "basis" },
  { what: "network", step: checkNetwork, is: "basis" },
  { what: "hosts", step: checkHardware, is: "upon" },
  { what: "images", step: checkImages, is: "basis" },
];

const logAdvice = "read the daemon's log, then run the check again";

async function* checkReached(
  cluster: Cluster,
  endpoints: readonly Answering[],
  options: CheckOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const subject = yield* meet(cluster, signal);
  if (subject === undefined) return;
  yield* checkMembers(subject, endpoints);
  let hopeless = false;
  const noting = async function* (findings: AsyncIterable<Finding> | Iterable<Finding>, counts: boolean) {
    for await (const finding of findings) {
      if (counts && finding.verdict === "problem") hopeless = true;
      yield finding;
    }
  };
  for (const { what, step, is } of steps) {
    if (is === "upon" && hopeless) continue;
    options.onProgress(`checking ${what}`);
    yield* noting(guarded(what, step(subject, signal), logAdvice, signal), is === "basis");
  }
  if (options.gpuHelper !== undefined) {
    options.onProgress("checking GPU helpers");
    yield* guarded("GPU helpers", helpersStep(options.gpuHelper)(subject, signal), logAdvice, signal);
  }
  yield* noting(checkSshProbe(cluster.settings, options.path), true);
  if (options.probe === undefined) return;
  if (hopeless) {
    yield warning(
      "probe",
      "no test instance was created, because of the problems above",
      "fix them, then run the check again",
    );
    return;
  }
  yield* guarded("probe", probeAll(subject, options, options.probe, signal), logAdvice, signal);
}

/** Undefined, after a problem: the cluster does not describe itself. */
async function* meet(cluster: Cluster, signal: AbortSignal): AsyncGenerator<Finding, Subject | undefined> {
  try {
    const server = await readServer(cluster, signal);
    const members = await readMembers(cluster, signal);
    return { cluster, server, members, tool: toolOf(server) };
  } catch (error) {
    signal.throwIfAborted();
    yield problem(
      "members",
      `could not be read: ${wordsOf(error)}`,
      "if Lessor's certificate is restricted to projects, use one that is not",
    );
    return undefined;
  }
}

const keepApart = "isolate them (on a bridge: security.port_isolation=true on the NIC) before anyone rents";

/** One after the other on every schedulable member; on the first also two at once. */
async function* probeAll(
  subject: Subject,
  { onProgress }: CheckOptions,
  { image: wanted, deadlineSeconds }: NonNullable<CheckOptions["probe"]>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { settings } = subject.cluster;
  const image = wanted ?? Object.keys(settings.images)[0] ?? (await fittingAliases(subject, signal))[0];
  if (image === undefined) return yield warning("probe", "there is no image for a test instance", "import an image");
  const engine = new IncusEngine(settings, probeInstallation);
  try {
    yield* removeLeftovers(subject, engine, signal);
    for (const [index, { server_name }] of serving(subject).entries()) {
      const host = hostName(subject.cluster, server_name);
      const order = { engine, settings, host, image, deadlineSeconds, onProgress };
      const second = { ...order, what: `second on ${host}` };
      const targets = index === 0 ? await targetsIn(subject, signal) : { targets: [], control: undefined };
      const neighbors = (_: unknown, ip: string) =>
        probeOn(
          {
            ...second,
            whileUsable: (machine) =>
              checkIsolation(engine, machine, { neighbor: { ip, advice: keepApart }, ...targets }, signal),
          },
          signal,
        );
      yield* probeOn(
        { ...order, what: `probe on ${host}`, ...(index === 0 ? { whileUsable: neighbors } : {}) },
        signal,
      );
    }
  } finally {
    await engine.close();
  }
}
