// The whole check of one cloud, from Keystone to a test instance in every region. Used by `lessor engine check`.
//
// Invariant: it changes nothing but its own test instances and what they need (a security group, a flavor). A failed step is
// a problem, and later steps continue unless they depend on it.

import { type Finding, problem, warning, wordsOf } from "../../check/finding.ts";
import { guarded } from "../../check/guarded.ts";
import type { CheckOptions } from "../../check/options.ts";
import { checkSshProbe } from "../../check/ssh-probe.ts";
import { probeInstallation } from "../../check/test-instance-label.ts";
import { type Cloud, openCloud } from "../cloud.ts";
import { OpenStackEngine } from "../engine.ts";
import { readHosts } from "../hosts.ts";
import type { OpenStackSettings } from "../settings/settings.ts";
import { checkCertificates, checkKeystone, checkServices } from "./access.ts";
import { checkFlavors, testSize } from "./flavors.ts";
import { checkHardware, checkHostNames } from "./hardware.ts";
import { checkImages, imageNames } from "./images.ts";
import { checkNetwork, checkVolumeType } from "./network.ts";
import { checkNotifications, withNotifications } from "./notifications.ts";
import { removeLeftovers } from "./orphans.ts";
import { checkQuotas } from "./quotas.ts";
import { called, type Step, type Subject } from "./subject.ts";
import { probeOn } from "./test-instance.ts";

/** Yields findings as they come. Throws only the reason of `signal`, after its test instances are removed. */
export async function* checkCloud(
  settings: OpenStackSettings,
  options: CheckOptions,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  options.onProgress("asking Keystone");
  let cloud: Cloud;
  try {
    cloud = openCloud(settings, probeInstallation);
  } catch (error) {
    return yield problem("certificates", wordsOf(error), "correct cacert, cert and key in clouds.yaml");
  }
  try {
    const project = yield* checkKeystone(cloud, signal);
    if (project === undefined) return;
    for (const region of cloud.regions) yield* checkRegion({ cloud, region, project }, options, signal);
    yield* checkHostNames(cloud, signal);
    yield* checkCertificates(cloud.client.certificates);
  } finally {
    await cloud.client.close();
  }
}

interface StepRow {
  readonly what: string;
  readonly step: Step;
  /** Whether no test instance can be created after a problem in it. */
  readonly isBasis: boolean;
}

const steps: readonly StepRow[] = [
  { what: "services", step: checkServices, isBasis: true },
  { what: "network", step: checkNetwork, isBasis: true },
  { what: "images", step: checkImages, isBasis: false },
  { what: "flavors", step: checkFlavors, isBasis: true },
  { what: "volumes", step: checkVolumeType, isBasis: false },
  { what: "hosts", step: checkHardware, isBasis: true },
  { what: "quotas", step: checkQuotas, isBasis: true },
  { what: "notifications", step: checkNotifications, isBasis: false },
];

const logAdvice = "read the log of the cloud's service, then run the check again";

async function* checkRegion(subject: Subject, options: CheckOptions, signal: AbortSignal): AsyncGenerator<Finding> {
  const { settings } = subject.cloud;
  let hopeless = false;
  const told: string[] = [];
  for (const { what, step, isBasis } of steps) {
    options.onProgress(`checking ${called(subject, what)}`);
    for await (const finding of guarded(called(subject, what), step(subject, signal), logAdvice, signal)) {
      if (isBasis && finding.verdict === "problem") hopeless = true;
      // One cause, such as a service that is missing, is told of once, by the step that knows what to do.
      const { cause } = finding;
      if (cause !== undefined && told.some((detail) => detail.includes(cause))) continue;
      if (finding.verdict === "problem") told.push(finding.detail);
      yield finding;
    }
  }
  for (const finding of checkSshProbe(settings, options.path)) {
    if (finding.verdict === "problem") hopeless = true;
    yield finding;
  }
  if (options.probe === undefined) return;
  const what = called(subject, "probe");
  if (hopeless) {
    yield warning(
      what,
      "no test instance was created, because of the problems above",
      "fix them, then run the check again",
    );
    return;
  }
  yield* guarded(what, probe(subject, options, options.probe, signal), logAdvice, signal);
}

/** On one host: the cloud's own scheduler and images are the same for all. */
async function* probe(
  subject: Subject,
  { onProgress }: CheckOptions,
  { image: wanted, deadlineSeconds }: NonNullable<CheckOptions["probe"]>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { cloud, region } = subject;
  const { settings } = cloud;
  const what = called(subject, "probe");
  const image = wanted ?? Object.keys(settings.images)[0] ?? (await imageNames(subject, signal))[0];
  if (image === undefined) return yield warning(what, "there is no image for a test instance", "import an image");
  const size = await testSize(subject, signal);
  if (size === undefined) {
    return yield warning(
      what,
      "no flavor without GPUs has whole GiB and 10 GB of disk",
      "create one to have a test instance",
    );
  }
  const hosts = await readHosts({ ...cloud, regions: [region] }, signal);
  const host = hosts.find((one) => one.available && one.vcpus >= size.vcpus && one.memoryGib >= size.memoryGib)?.name;
  if (host === undefined) return yield warning(what, "no host has room for a test instance", "free one, or enable one");
  const engine = new OpenStackEngine(settings, probeInstallation);
  try {
    yield* removeLeftovers(subject, engine, signal);
    const order = { engine, settings, what: `probe on ${host}`, host, image, ...size, deadlineSeconds, onProgress };
    yield* withNotifications(subject, probeOn(order, signal), signal);
  } finally {
    await engine.close();
  }
}
