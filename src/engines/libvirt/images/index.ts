// Bringing images to libvirt hosts: what the rest of the engine may use.

export { type HostImport, importVolume, type VolumeImport } from "./import-volume.ts";
