// What tests have made at a host of the lab, and the end of it.

import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setCable } from "../../support/lab/network.ts";
import { endDaemon, endGuests, inside, startDaemon } from "./daemon.ts";
import { imageVolumes } from "./images.ts";
import { type HostLayout, network, pool, poolDirectory } from "./layout.ts";
import { virsh } from "./virsh.ts";

/** Where guests' files are: the pool, and the engine's own pool of what a host may forget. */
const guestDirectories = [poolDirectory, "/run/lessor"] as const;

/**
 * Everything that tests have left at the host, one line for each: domains, files of guests (a volume is a file),
 * network filters, reserved addresses.
 */
export async function orphansOf(host: HostLayout): Promise<string[]> {
  const [domains, filters, reserved] = await Promise.all([domainsOf(host), filtersOf(host), reservationsOf(host)]);
  return [
    ...domains.map((name) => `${host.name} domain ${name}`),
    ...filters.map((name) => `${host.name} filter ${name}`),
    ...filesOf(host).map((path) => `${host.name} file ${path}`),
    ...reserved.map((xml) => `${host.name} reservation ${xml}`),
  ];
}

/** Makes the host as it was when the lab began, whatever state it is in. */
export async function cleanHost(host: HostLayout): Promise<void> {
  await setCable(host, "up");
  await startDaemon(host);
  for (const name of await domainsOf(host)) {
    // In vain where it does not run.
    await virsh(host, ["destroy", name]).catch(() => {});
    await virsh(host, ["undefine", name, "--managed-save", "--snapshots-metadata", "--nvram"]).catch(async (error) => {
      // One that was never defined, only started, is gone with its process.
      if ((await domainsOf(host)).includes(name)) throw error;
    });
  }
  // Of guests that libvirt did not see end. While one is left, no guest's port can have its name.
  for (const port of await bindingsOf(host)) await virsh(host, ["nwfilter-binding-delete", port]).catch(() => {});
  for (const name of await filtersOf(host)) await virsh(host, ["nwfilter-undefine", name]);
  for (const path of filesOf(host)) rmSync(inside(host, path), { recursive: true });
  for (const name of lines(await virsh(host, ["pool-list", "--name"]))) await virsh(host, ["pool-refresh", name]);
  for (const xml of await reservationsOf(host)) {
    await virsh(host, ["net-update", network, "delete", "ip-dhcp-host", xml, "--live", "--config"]);
  }
}

/**
 * Reinstalls the host under its name: without guests, and with another pool. libvirtd is started when they are gone, so
 * a service observes another host, never their end.
 */
export async function reinstallHost(host: HostLayout): Promise<void> {
  await endDaemon(host, "SIGKILL");
  await endGuests(host);
  const definitions = join(host.directory, "etc/qemu");
  for (const name of readdirSync(definitions).filter((file) => file.startsWith("lessor-"))) {
    rmSync(join(definitions, name));
  }
  // What libvirt remembers of guests, their ports and pools that run, and that it has started the pools already.
  for (const path of ["/run/libvirt/qemu", "/run/libvirt/nwfilter-binding", "/run/libvirt/storage"]) {
    rmSync(inside(host, path), { recursive: true, force: true });
  }
  const definition = join(host.directory, "etc/storage", `${pool}.xml`);
  const xml = readFileSync(definition, "utf8");
  writeFileSync(definition, xml.replace(/<uuid>[^<]+/, `<uuid>${randomUUID()}`));
  await cleanHost(host);
}

async function domainsOf(host: HostLayout): Promise<string[]> {
  return lines(await virsh(host, ["list", "--all", "--name"]));
}

/** Those that do not come with libvirt. */
async function filtersOf(host: HostLayout): Promise<string[]> {
  const rows = lines(await virsh(host, ["nwfilter-list"])).map((line) => line.split(/\s+/)[1] ?? "");
  return rows.filter((name) => name.startsWith("lessor-"));
}

/** The ports that have a filter. */
async function bindingsOf(host: HostLayout): Promise<string[]> {
  const [, , ...rows] = lines(await virsh(host, ["nwfilter-binding-list"]));
  return rows.map((line) => line.split(/\s+/)[0] ?? "");
}

function filesOf(host: HostLayout): string[] {
  return guestDirectories.flatMap((directory) => {
    const path = inside(host, directory);
    const names = existsSync(path) ? readdirSync(path) : [];
    return names
      .filter((name) => directory !== poolDirectory || !imageVolumes.includes(name))
      .map((name) => join(directory, name));
  });
}

/** The elements that reserve an address. */
async function reservationsOf(host: HostLayout): Promise<string[]> {
  return (await virsh(host, ["net-dumpxml", network])).match(/<host [^>]*\/>/g) ?? [];
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
