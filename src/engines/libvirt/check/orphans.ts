// What on the host looks like ours: counted, and never touched, but for the probe instances of checks that were killed.

import { type Finding, listed, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { isOrphan, probeInstallation } from "../../check/test-instance-label.ts";
import type { Engine } from "../../engine.ts";
import type { HostConnection } from "../host-connection.ts";
import { accountIn, domainName, labelIn, machineIdIn } from "../labels.ts";
import { says } from "../virsh/virsh-error.ts";
import { readVolumeNames } from "../volume-names.ts";
import { readOne, type XmlNode } from "../xml/read.ts";
import { commandAt, on, type Subject } from "./subject.ts";

/** What is there under names as the engine gives them. */
export async function* checkLeftovers({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "leftovers");
  const domains = await readOurs(place, signal);
  const marks = domains.flatMap(({ node }) => labelIn(node) ?? []);
  const installations = new Set(marks.map(({ installation }) => installation));
  installations.delete(probeInstallation);
  const strangers = domains.length - marks.length;
  const ids = new Set(domains.map(({ name }) => name));
  const disks = (await readVolumeNames(place, signal)).filter((volume) => {
    const [, name] = /^(.*)\.qcow2$/.exec(volume) ?? [];
    return name !== undefined && machineIdIn(name) !== undefined && !ids.has(name);
  });
  const filters = (await place.virsh.call(["nwfilter-list"], { signal })).split("\n").flatMap((line) => {
    const name = line.trim().split(/\s+/)[1] ?? "";
    return machineIdIn(name) !== undefined && !ids.has(name) ? [name] : [];
  });
  if (installations.size > 1) {
    yield warning(
      what,
      `machines of ${installations.size} installations are here: each rents out the whole host`,
      "leave the host to one of them",
    );
  }
  const odd = [
    ...(strangers === 0 ? [] : [`${counted(strangers, "domain")} called lessor-… without a mark of Lessor`]),
    ...(filters.length === 0 ? [] : [`${counted(filters.length, "network filter")} of machines that are not there`]),
    ...(disks.length === 0 ? [] : [`${counted(disks.length, "disk")} of machines that are not there`]),
  ];
  const list = listed([
    commandAt(place, "list", "--all"),
    commandAt(place, "vol-list", place.settings.pool),
    ...(filters.length === 0 ? [] : [commandAt(place, "nwfilter-list")]),
  ]);
  if (odd.length > 0) {
    yield warning(what, listed(odd), `if no launch is under way, look, and remove by hand what nobody needs: ${list}`);
  } else {
    const machines = marks.filter(({ installation }) => installation !== probeInstallation).length;
    yield ok(
      what,
      machines === 0 ? "nothing" : `${counted(machines, "machine")} of Lessor, and nothing that is nobody's`,
    );
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Removes probe instances of earlier checks that were killed. */
export async function* removeLeftovers(
  { place }: Subject,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const host = place.host.name;
  for (const { name, node } of await readOurs(place, signal)) {
    const mark = labelIn(node);
    if (mark?.installation !== probeInstallation || mark.engine !== engine.name) continue;
    if (name !== domainName(mark.instance) || !isOrphan(accountIn(node), Date.now())) continue;
    try {
      await engine.remove({ id: mark.instance, host }, signal);
      yield ok("leftovers", `removed the probe machine ${name} that an earlier check left on ${host}`);
    } catch (error) {
      signal.throwIfAborted();
      yield problem(
        "leftovers",
        `the probe machine ${name} of an earlier check could not be removed from ${host}: ${wordsOf(error)}`,
        "remove it by hand",
      );
    }
  }
}

/** The domains with names as the engine gives them. Throws VirshError. */
async function readOurs({ virsh }: HostConnection, signal: AbortSignal): Promise<{ name: string; node: XmlNode }[]> {
  const text = await virsh.call(["list", "--all", "--name"], { signal });
  const names = text.split("\n").filter((name) => machineIdIn(name.trim()) !== undefined);
  const found: { name: string; node: XmlNode }[] = [];
  for (const name of names) {
    try {
      found.push({ name, node: readOne(await virsh.call(["dumpxml", name], { signal })) });
    } catch (error) {
      // It went in this moment.
      if (!says(error, "noSuchDomain")) throw error;
    }
  }
  return found;
}
