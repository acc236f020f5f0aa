// Writes the settings of all services into the lab's directory.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bus, controlHost, hosts, type Layout } from "../layout.ts";
import { cinder, cinderFilters, cinderPaste } from "./cinder.ts";
import { glance, glancePaste } from "./glance.ts";
import { keystone, placement } from "./identity.ts";
import { neutron, neutronPaste } from "./neutron.ts";
import { gpuClass, nova, novaPaste, ofHost, providersOf } from "./nova.ts";

/** Where they are, by service. */
export function settingsFiles({ settings }: Layout) {
  const file = (name: string) => join(settings, name);
  return {
    keystone: file("keystone.conf"),
    placement: file("placement.conf"),
    glance: file("glance-api.conf"),
    neutron: file("neutron.conf"),
    cinder: file("cinder.conf"),
    nova: file("nova.conf"),
    /** Besides nova.conf, where each service has a process of its own. */
    host: (name: string) => file(`host-${name}.conf`),
  };
}

/** Makes the lab's directories and all files of settings. */
export function writeSettings(layout: Layout, bus: Bus): void {
  const { settings, logs, mysql, images, fernet, credential, state, scratch, running } = layout;
  for (const directory of [settings, logs, mysql, images, fernet, credential, state, scratch, running]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  const paste = (name: string, text: string) => {
    const path = join(settings, `${name}-paste.ini`);
    writeFileSync(path, text);
    return path;
  };
  const files = settingsFiles(layout);
  writeFileSync(files.keystone, keystone(layout));
  writeFileSync(files.placement, placement(layout));
  writeFileSync(files.glance, glance(layout, paste("glance", glancePaste)));
  writeFileSync(files.neutron, neutron(layout, paste("neutron", neutronPaste)));
  const filters = join(settings, "cinder-filters.json");
  writeFileSync(filters, cinderFilters);
  writeFileSync(files.cinder, cinder(layout, { paste: paste("cinder", cinderPaste), filters }));
  writeFileSync(files.nova, nova(layout, bus, paste("nova", novaPaste)));
  writeFileSync(files.host(controlHost), ofHost(layout, controlHost));
  for (const host of hosts) {
    writeFileSync(files.host(host.name), ofHost(layout, host.name));
    mkdirSync(providersOf(layout, host.name), { recursive: true });
    if (host.gpus === "class") writeFileSync(join(providersOf(layout, host.name), "gpu.yaml"), gpuClass);
  }
  writeEntryPoint(layout);
}

/** What tells Neutron of its driver: the metadata of a Python package, found through PYTHONPATH. */
function writeEntryPoint({ settings }: Layout): void {
  const directory = join(settings, "lessor_lab-1.0.dist-info");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "METADATA"), "Metadata-Version: 2.1\nName: lessor-lab\nVersion: 1.0\n");
  const driver = "lessor_lab = lab_neutron:LabMechanismDriver";
  writeFileSync(join(directory, "entry_points.txt"), `[neutron.ml2.mechanism_drivers]\n${driver}\n`);
}
