// Whether Keystone and the services respond, in versions that the engine can use; encryption, certificates and clocks.

import { type Finding, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { type Expiry, expiringSoon } from "../../tls-certificates.ts";
import { ApiError, NoAnswer, Unsuitable } from "../client/api-error.ts";
import type { ServiceType } from "../client/catalog.ts";
import type { Project } from "../client/session.ts";
import type { Cloud } from "../cloud.ts";
import { called, type Subject } from "./subject.ts";

/** Nothing depends on equal clocks, but logs and certificates do. */
const MOST_SKEW_MS = 60_000;

/** Undefined, after a problem: nothing else can be checked. */
export async function* checkKeystone(
  { client, settings: { access } }: Cloud,
  signal: AbortSignal,
): AsyncGenerator<Finding, Project | undefined> {
  yield* checkEncryption("Keystone", access.authUrl, access.authUrl);
  try {
    const project = await client.project(signal);
    yield ok("Keystone", `${access.authUrl}, project ${project.name} as ${project.roles.join(", ") || "no role"}`);
    return project;
  } catch (error) {
    signal.throwIfAborted();
    yield problem("Keystone", `${access.authUrl}: ${wordsOf(error)}`, keystoneAdvice(error));
    return undefined;
  }
}

function keystoneAdvice(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) {
    return "correct the entry in clouds.yaml; an application credential may have expired or be deleted";
  }
  if (error instanceof NoAnswer) return "check auth_url and cacert in clouds.yaml, and the network between";
  return "check auth_url in clouds.yaml (it ends in /v3), and what project the credentials are for";
}

const probes: Readonly<Record<ServiceType, string>> = {
  compute: "/limits",
  network: "/networks",
  image: "/images",
  placement: "/resource_classes",
  volume: "/limits",
};

const purposes: Partial<Record<ServiceType, string>> = { volume: "file systems" };

/** Each service of a region: its address in the catalog, its versions, its clock. */
export async function* checkServices(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cloud, region } = subject;
  const { client, settings } = cloud;
  for (const service of ["compute", "network", "image", "placement", "volume"] as const) {
    // Only hosts that are visible are read from Placement.
    if (service === "placement" && region.settings.pools !== undefined) continue;
    const what = called(subject, `${service} service`);
    const place = region.place[service];
    if (purposes[service] !== undefined && !(await client.offers(place, signal))) {
      yield warning(
        what,
        `the cloud has none, so there are no ${purposes[service]}`,
        "add Cinder to the cloud, or offer no file systems",
      );
      continue;
    }
    try {
      const address = await client.address(place, signal);
      yield* checkEncryption(what, settings.access.authUrl, address);
      const { date } = await client.call(place, probes[service], {}, signal);
      yield ok(what, `responds at ${address}`);
      if (service === "compute") yield* checkClock(what, date, new Date());
    } catch (error) {
      signal.throwIfAborted();
      yield problem(what, wordsOf(error), serviceAdvice(error, service));
    }
  }
}

function serviceAdvice(error: unknown, service: ServiceType): string {
  if (error instanceof Unsuitable) return "upgrade the service, or correct cloud_region or interface";
  if (error instanceof ApiError && error.status === 403) {
    return service === "placement"
      ? "give the credentials a role that reads Placement, or set pools for the region"
      : "give the credentials a role in the project, such as member";
  }
  return "check that this machine reaches the address in the cloud's catalog, and the service's log";
}

/** A warning where a secret or a token crosses a network in clear text. */
export function* checkEncryption(what: string, authUrl: string, address: string): Generator<Finding> {
  if (isSafe(new URL(address))) return;
  const behind = authUrl.startsWith("https:") ? ", although Keystone has https://" : "";
  yield warning(
    what,
    `${address} is not encrypted${behind}: who can read the traffic can use the credentials`,
    "give the endpoint TLS and correct it in the catalog, or choose another interface in clouds.yaml",
  );
}

/** Whether what is sent there is encrypted, or stays on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return /^(https|amqps):$/.test(protocol) || /^(localhost|127\..*|\[::1\])$/.test(hostname);
}

export function* checkClock(what: string, date: Date | undefined, now: Date): Generator<Finding> {
  const skew = date === undefined ? 0 : date.getTime() - now.getTime();
  if (Math.abs(skew) < MOST_SKEW_MS) return;
  yield warning(
    what,
    `its clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} this machine's`,
    "synchronize both with NTP",
  );
}

export function* checkCertificates(expiries: readonly Expiry[], now = new Date()): Generator<Finding> {
  for (const { severity, message } of expiringSoon(expiries, now)) {
    const tell = severity === "critical" ? problem : warning;
    yield tell("certificate", message.replace(/\.$/, ""), "renew it");
  }
}
