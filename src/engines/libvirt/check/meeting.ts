// Whether each host responds, its versions, and whether two names lead to one machine. The first step on the hosts.
//
// Invariant: a host that does not respond delays no other, and gets no further requests.

import { type Finding, listed, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { sideBySide } from "../bounded-concurrency.ts";
import { readCapabilities } from "../host/capabilities.ts";
import type { HostConnection } from "../host-connection.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { readOne } from "../xml/read.ts";
import { silence, troubleOf } from "./connection-trouble.ts";
import type { Subject } from "./subject.ts";

/** The first connection to a sleeping daemon takes some seconds. */
const PATIENCE_MS = 20_000;

type Version = readonly [major: number, minor: number];

/** Older versions silently ignore `isolated` of a network card. */
const oldestLibvirt: Version = [6, 1];
/** Older versions cannot read images compressed with zstd, as `lessor image build` creates them. */
const oldestQemu: Version = [5, 1];

/** Yields a finding for each host; returns those that can be checked further. Throws only the reason of `signal`. */
export async function* meetHosts(
  places: readonly HostConnection[],
  signal: AbortSignal,
): AsyncGenerator<Finding, readonly Subject[]> {
  const met: Subject[] = [];
  yield* sideBySide(places, async function* (place) {
    const subject = yield* meet(place, signal);
    if (subject !== undefined) met.push(subject);
  });
  met.sort((a, b) => places.indexOf(a.place) - places.indexOf(b.place));
  yield* tellTheSame(met);
  return met;
}

async function* meet(place: HostConnection, signal: AbortSignal): AsyncGenerator<Finding, Subject | undefined> {
  const what = `host ${place.host.name}`;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const commands = [["version", "--daemon"], ["capabilities"]];
    const text = await place.virsh.all(commands, { signal: AbortSignal.any([signal, patience]) });
    const begin = Math.max(text.indexOf("<capabilities"), 0);
    const capabilities = readCapabilities(readOne(text.slice(begin)));
    return (yield* tellVersions(what, text.slice(0, begin))) ? { place, capabilities } : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (patience.aborted) {
      yield problem(what, `no response within ${PATIENCE_MS / 1000} s`, silence);
    } else if (error instanceof VirshError) {
      const { detail, advice } = troubleOf(error.complaint || error.message, place.host);
      yield problem(what, detail, advice);
    } else {
      yield problem(what, wordsOf(error), "check that uri points to libvirt");
    }
    return undefined;
  }
}

/** Whether the host can be checked further. */
function* tellVersions(what: string, text: string): Generator<Finding, boolean> {
  const libvirt = /Running against daemon: (\S+)/.exec(text)?.[1];
  const qemu = /Running hypervisor: \w+ (\S+)/.exec(text)?.[1];
  if (qemu === undefined) {
    yield problem(what, "responds, but has no QEMU", "on the host: apt-get install qemu-system-x86 (or -arm)");
    return false;
  }
  const software = `libvirt ${libvirt ?? "of unknown version"}, QEMU ${qemu}`;
  if (isOlder(libvirt, oldestLibvirt)) {
    const needed = oldestLibvirt.join(".");
    yield problem(what, `has ${software}, which does not isolate machines`, `upgrade to libvirt ${needed} or newer`);
  } else {
    yield ok(what, `responds: ${software}`);
  }
  if (isOlder(qemu, oldestQemu)) {
    yield warning(what, `QEMU ${qemu} cannot read every image`, `upgrade to QEMU ${oldestQemu.join(".")} or newer`);
  }
  return true;
}

/** A version that cannot be parsed counts as new. */
function isOlder(version: string | undefined, [major, minor]: Version): boolean {
  const [, theirMajor, theirMinor] = /^(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (theirMajor === undefined) return false;
  return Number(theirMajor) < major || (Number(theirMajor) === major && Number(theirMinor) < minor);
}

function* tellTheSame(met: readonly Subject[]): Generator<Finding> {
  const names = Map.groupBy(met, ({ capabilities }) => capabilities.uuid);
  for (const [uuid, same] of names) {
    if (same.length < 2) continue;
    yield problem(
      "hosts",
      `${listed(same.map(({ place }) => place.host.name))} are one machine (${uuid}): its resources would be rented twice`,
      "keep one of them in the settings; if they are two machines with the same id, give each a host_uuid of its own " +
        "in libvirtd.conf",
    );
  }
}
