// Counts objects on the host that look like ours, and removes only test instances of checks that were killed.

import { type Finding, listed, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { isOrphan, probeInstallation } from "../../check/test-instance-label.ts";
import type { Engine } from "../../engine.ts";
import type { HostConnection } from "../host-connection.ts";
import { accountIn, domainName, labelIn, machineIdIn, volumes } from "../labels.ts";
import { says } from "../virsh/virsh-error.ts";
import { readVolumeNames } from "../volume-names.ts";
import { readOne, type XmlNode } from "../xml/read.ts";
import { commandAt, on, type Subject } from "./subject.ts";

/** Objects whose names look like the engine's. */
export async function* checkLeftovers({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "leftovers");
  const domains = await readOurs(place, signal);
  const marks = domains.flatMap(({ node }) => labelIn(node) ?? []);
  const installations = new Set(marks.map(({ installation }) => installation));
  installations.delete(probeInstallation);
  const strangers = domains.length - marks.length;
  const ids = new Set(domains.map(({ name }) => name));
  const stored = await readVolumeNames(place, signal);
  const disks = stored.filter((volume) => {
    const [, name] = /^(.*)\.qcow2$/.exec(volume) ?? [];
    const id = name === undefined ? undefined : machineIdIn(name);
    if (name === undefined || id === undefined || ids.has(name)) return false;
    // One that is being copied gets its domain last.
    return !stored.includes(volumes.copying(id));
  });
  const filters = (await place.virsh.call(["nwfilter-list"], { signal })).split("\n").flatMap((line) => {
    const name = line.trim().split(/\s+/)[1] ?? "";
    return machineIdIn(name) !== undefined && !ids.has(name) ? [name] : [];
  });
  if (installations.size > 1) {
    yield warning(
      what,
      `machines of ${installations.size} installations exist here: each one offers the whole host`,
      "use the host in one of them only",
    );
  }
  const odd = [
    ...(strangers === 0 ? [] : [`${counted(strangers, "domain")} named lessor-… without Lessor's label`]),
    ...(filters.length === 0 ? [] : [`${counted(filters.length, "network filter")} of machines that do not exist`]),
    ...(disks.length === 0 ? [] : [`${counted(disks.length, "disk")} of machines that do not exist`]),
  ];
  const list = listed([
    commandAt(place, "list", "--all"),
    commandAt(place, "vol-list", place.settings.pool),
    ...(filters.length === 0 ? [] : [commandAt(place, "nwfilter-list")]),
  ]);
  if (odd.length > 0) {
    yield warning(what, listed(odd), `if no launch is in progress, remove manually what is not needed: ${list}`);
  } else {
    const machines = marks.filter(({ installation }) => installation !== probeInstallation).length;
    yield ok(what, machines === 0 ? "nothing" : `${counted(machines, "machine")} of Lessor, and no orphans`);
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Removes test instances of earlier checks that were killed. */
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
      yield ok("leftovers", `removed the test instance ${name} of an earlier check from ${host}`);
    } catch (error) {
      signal.throwIfAborted();
      yield problem(
        "leftovers",
        `the test instance ${name} of an earlier check could not be removed from ${host}: ${wordsOf(error)}`,
        "remove it manually",
      );
    }
  }
}

/** The domains with names as the engine uses them. Throws VirshError. */
async function readOurs({ virsh }: HostConnection, signal: AbortSignal): Promise<{ name: string; node: XmlNode }[]> {
  const text = await virsh.call(["list", "--all", "--name"], { signal });
  const names = text.split("\n").filter((name) => machineIdIn(name.trim()) !== undefined);
  const found: { name: string; node: XmlNode }[] = [];
  for (const name of names) {
    try {
      found.push({ name, node: readOne(await virsh.call(["dumpxml", name], { signal })) });
    } catch (error) {
      // It was removed in the meantime.
      if (!says(error, "noSuchDomain")) throw error;
    }
  }
  return found;
}
