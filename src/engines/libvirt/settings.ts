// How libvirt hosts are reached and used: the settings of lessor.yaml, as configuration has checked them.

export type { LibvirtHostSettings, LibvirtImage, LibvirtSettings } from "../../config.ts";
