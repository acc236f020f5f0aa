// The whole check of one cluster, step by step, from whether it answers to a machine made on every member. Used by the
// command `lessor engine check`.
//
// Invariant: it changes nothing but its own probe instances. A step that cannot be carried out is a problem, and the
// steps after it go on; only where nothing answers, or nothing could come of a probe instance, the rest is left out.

import { type Cluster, hostName, openCluster, readServer } from "../cluster.ts";
import { IncusEngine } from "../engine.ts";
import { readMembers } from "../members.ts";
import type { IncusSettings } from "../settings.ts";
import { checkApiLevel } from "./api-level.ts";
import { type Answering, checkEndpoints } from "./endpoints.ts";
import { type Finding, problem, warning, wordsOf } from "./finding.ts";
import { checkHardware } from "./hardware.ts";
import { checkImages, fittingAliases } from "./images.ts";
import { checkIsolation } from "./isolation.ts";
import { removeLeftovers } from "./leftovers.ts";
import { checkKind, checkMembers, checkRegions } from "./members.ts";
import { checkNetwork } from "./network.ts";
import { probeOn } from "./probe.ts";
import { probeInstallation } from "./probe-mark.ts";
import { checkProject } from "./project.ts";
import { checkSshProbe } from "./ssh-probe.ts";
import { checkStorage } from "./storage.ts";
import { type Step, type Subject, serving, toolOf } from "./subject.ts";

export interface CheckOptions {
  /** Undefined: no probe instances. */
  readonly probe:
    | {
        /** The catalogue's name, or an alias; undefined: the first of the settings, or else of the cluster. */
        readonly image: string | undefined;
        /** For each instance, until it is usable. */
        readonly deadlineSeconds: number;
      }
    | undefined;
  /** Where programs are looked for, as PATH has it. */
  readonly path: string;
  /** Told what is going on, in a few words. */
  readonly onProgress: (what: string) => void;
}

/** Yields findings as they come. Throws only the reason of `signal`, after its probe instance is removed. */
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
  /** `basis`: without it neither hosts can be read nor machines made. `upon`: needs all of that. */
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
    options.onProgress(`looking at ${what}`);
    yield* noting(guarded(what, step(subject, signal), signal), is === "basis");
  }
  yield* noting(checkSshProbe(cluster.settings, options.path), true);
  if (options.probe === undefined) return;
  if (hopeless) {
    yield warning("probe", "no instance was made, because of the problems above", "mend them, and check again");
    return;
  }
  yield* guarded("probe", probeAll(subject, options, options.probe, signal), signal);
}

/** Undefined, after a problem: it does not say what it is. */
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
      "if our certificate is restricted to projects, let the cluster trust one that is not",
    );
    return undefined;
  }
}

async function* guarded(what: string, findings: AsyncIterable<Finding>, signal: AbortSignal): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    signal.throwIfAborted();
    yield problem(what, `could not be checked: ${wordsOf(error)}`, "look at the daemon's log, and check again");
  }
}

/** One after the other on every member that machines are to run on; on the first also two at once. */
async function* probeAll(
  subject: Subject,
  { onProgress }: CheckOptions,
  { image: wanted, deadlineSeconds }: NonNullable<CheckOptions["probe"]>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { settings } = subject.cluster;
  const image = wanted ?? Object.keys(settings.images)[0] ?? (await fittingAliases(subject, signal))[0];
  if (image === undefined) return yield warning("probe", "there is no image to make one of", "import one");
  const engine = new IncusEngine(settings, probeInstallation);
  try {
    yield* removeLeftovers(subject, engine, signal);
    for (const [index, { server_name }] of serving(subject).entries()) {
      const host = hostName(subject.cluster, server_name);
      const order = { engine, settings, host, image, deadlineSeconds, onProgress };
      const second = { ...order, what: `second on ${host}` };
      const neighbours = (_: unknown, ip: string) =>
        probeOn({ ...second, whileUsable: (machine) => checkIsolation(engine, machine, ip, signal) }, signal);
      yield* probeOn(
        { ...order, what: `probe on ${host}`, ...(index === 0 ? { whileUsable: neighbours } : {}) },
        signal,
      );
    }
  } finally {
    await engine.close();
  }
}
