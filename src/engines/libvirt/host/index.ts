// What a libvirt host has, and how it is shared out: what the rest of the engine may use.

export { assignedDevices } from "./assigned.ts";
export type { Capabilities, Cell, Emulator, Pages } from "./capabilities.ts";
export type { Passable } from "./gpus.ts";
export { readHostIdentity } from "./identity.ts";
export { type Inventory, readInventory, type StoragePool } from "./inventory.ts";
export { type FreeMemory, type Placement, type PlacementOrder, placementOn, readFree } from "./numa.ts";
export type { IommuGroup, PciDevice } from "./pci.ts";
export { hostReport, type ReportSettings } from "./report.ts";
