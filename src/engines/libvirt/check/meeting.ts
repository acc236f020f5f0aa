// Whether each host answers, with what, and whether two names lead to one machine. The first step at the hosts.
//
// Invariant: a host that does not answer keeps nobody from the others, and is asked nothing more.

import { type Finding, listed, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { sideBySide } from "../bounded-concurrency.ts";
import { readCapabilities } from "../host/capabilities.ts";
import type { HostConnection } from "../host-connection.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { readOne } from "../xml/read.ts";
import { silence, troubleOf } from "./connection-trouble.ts";
import type { Subject } from "./subject.ts";

/** The first connection to a daemon that sleeps takes some seconds. */
const PATIENCE_MS = 20_000;

type Version = readonly [major: number, minor: number];

/** Before it, `isolated` of a network card is not known, and silently left out. */
const oldestLibvirt: Version = [6, 1];
/** Before it, images that are compressed with zstd cannot be read, as those of `lessor image build` are. */
const oldestQemu: Version = [5, 1];

/** Yields a finding for each host; returns those that can be asked more. Throws only the reason of `signal`. */
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
      yield problem(what, `no answer within ${PATIENCE_MS / 1000} s`, silence);
    } else if (error instanceof VirshError) {
      const { detail, advice } = troubleOf(error.complaint || error.message, place.host);
      yield problem(what, detail, advice);
    } else {
      yield problem(what, wordsOf(error), "is it libvirt that answers at uri?");
    }
    return undefined;
  }
}

/** Returns whether it is worth asking more. */
function* tellVersions(what: string, text: string): Generator<Finding, boolean> {
  const libvirt = /Running against daemon: (\S+)/.exec(text)?.[1];
  const qemu = /Running hypervisor: \w+ (\S+)/.exec(text)?.[1];
  if (qemu === undefined) {
    yield problem(what, "answers, and has no QEMU", "on the host: apt-get install qemu-system-x86 (or -arm)");
    return false;
  }
  const software = `libvirt ${libvirt ?? "of unknown version"}, QEMU ${qemu}`;
  if (isOlder(libvirt, oldestLibvirt)) {
    const needed = oldestLibvirt.join(".");
    yield problem(what, `has ${software}, which does not keep machines apart`, `upgrade to libvirt ${needed} or newer`);
  } else {
    yield ok(what, `answers: ${software}`);
  }
  if (isOlder(qemu, oldestQemu)) {
    yield warning(what, `QEMU ${qemu} does not read every image`, `upgrade to QEMU ${oldestQemu.join(".")} or newer`);
  }
  return true;
}

/** A version that cannot be read counts as new. */
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
      `${listed(same.map(({ place }) => place.host.name))} are one machine (${uuid}): what it has is rented out twice`,
      "leave one of them in the settings; if they are two machines with the same id, give each a host_uuid of its own " +
        "in libvirtd.conf",
    );
  }
}
