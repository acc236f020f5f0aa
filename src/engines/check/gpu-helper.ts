// Whether the GPU helper of a host responds, knows the GPUs that the engine reports, and could reset them. Used by the
// check of each engine.
//
// Invariant: it changes nothing on the host: no GPU is reset, and no partition is activated.

import { type GpuHelper, type GpuHelperOf, HelperError, type HelperList } from "../../gpus/helper.ts";
import { helperErrors } from "../../gpus/helper-codes.ts";
import type { HostReport } from "../engine.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";

/** Throws the reason of `signal`. */
export async function* checkGpuHelper(
  { name: host, gpus }: Pick<HostReport, "name" | "gpus">,
  helperOf: GpuHelperOf,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = `GPU helper on ${host}`;
  const helper = helperOf(host);
  if (helper === undefined) {
    if (gpus.length === 0) return;
    return yield warning(what, "no command is set for this host", "add it to an entry of gpus.helpers");
  }
  try {
    const list = await helper.list(host, signal);
    yield ok(what, described(list));
    const own = gpus.map(({ address }) => address);
    yield* tellGpus(what, own, list);
    yield* tellPartitions(what, own, list);
    yield* tellHealth(what, own, await helper.health(host, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HelperError)) throw error;
    yield problem(what, withoutPeriod(error.message), withoutPeriod(helperErrors[error.code].remedy));
  }
}

function described({ gpus, fabricManager, partitions }: HelperList): string {
  const fabric =
    fabricManager === null ? "no fabric manager" : `fabric manager ${fabricManager}, ${partitions.length} partitions`;
  return `responds: ${gpus.length} ${gpus.length === 1 ? "GPU" : "GPUs"}, ${fabric}`;
}

function* tellGpus(what: string, own: readonly string[], { gpus }: HelperList): Generator<Finding> {
  const known = new Map(gpus.map((gpu) => [gpu.address, gpu]));
  const missing = own.filter((address) => !known.has(address));
  if (missing.length > 0) {
    yield problem(
      what,
      `does not list ${listed(missing)}, which the engine offers`,
      "compare with lspci -D on the host; set classes in the configuration of the helper, or correct the command's host",
    );
  }
  const stuck = own.filter((address) => known.get(address)?.resetMethods.length === 0);
  if (stuck.length === 0) return;
  yield warning(
    what,
    `${listed(stuck)} cannot be reset`,
    "use a kernel of 5.15 or newer; compare reset_method of the device in sysfs, and use a slot of its own",
  );
}

function* tellPartitions(what: string, own: readonly string[], { gpus, partitions }: HelperList): Generator<Finding> {
  if (partitions.length === 0) return;
  const unknown = gpus.filter(({ address, moduleId }) => own.includes(address) && moduleId === null);
  if (unknown.length > 0) {
    const addresses = listed(unknown.map(({ address }) => address));
    yield warning(
      what,
      `the module ids of ${addresses} are not known, so no partition has them`,
      "set modules in the configuration of the helper",
    );
  }
  const modules = new Set(gpus.map(({ moduleId }) => moduleId));
  const absent = [...new Set(partitions.flatMap((one) => one.gpus))].filter((module) => !modules.has(module));
  if (unknown.length > 0 || absent.length === 0) return;
  const ids = listed(absent.toSorted((one, other) => one - other).map(String));
  yield warning(what, `partitions have modules without a GPU: ${ids}`, "check: lspci on the host, and its modules");
}

function* tellHealth(
  what: string,
  own: readonly string[],
  { helperVersion, fabric, gpus }: Awaited<ReturnType<GpuHelper["health"]>>,
): Generator<Finding> {
  if (fabric.state === "failed") {
    yield problem(what, `the fabric manager failed: ${fabric.detail}`, "read its log on the host, and restart it");
  }
  const ill = gpus.filter(({ address, problems }) => own.includes(address) && problems.length > 0);
  for (const { address, problems } of ill) {
    yield warning(what, `${address}: ${listed(problems)}`, "reseat or replace the GPU, or power-cycle the host");
  }
  if (fabric.state !== "failed" && ill.length === 0) yield ok(what, `version ${helperVersion} finds no problem`);
}

function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, "");
}
