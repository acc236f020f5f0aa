// The libvirt engine: what other rooms may use. composition.ts makes one for each item of `libvirt:` in lessor.yaml;
// the commands of operator/ check hosts and bring images there.
//
// The way through the room: engine.ts puts together create, start, stop and remove, each a file. host-connection.ts is one host as
// all of them are given it. What they are about: domains.ts and domain-xml.ts, volumes.ts, addresses.ts, seed.ts, marks.ts.
// What keeps watch: event-stream.ts, ended.ts, timeouts.ts; verifications.ts keeps the books of what virtualization.ts tries.
// virsh/ speaks with libvirt, xml/ reads and writes what it says, host/ is what a host has, check/ and images/ are commands.

export { checkHosts, type HostCheckOptions } from "./check/index.ts";
export { LibvirtEngine } from "./engine.ts";
export { type HostImport, importVolume, type VolumeImport } from "./images/index.ts";
export type { LibvirtSettings } from "./settings/settings.ts";
