// One example offer and instance, from which the views create the examples of their documents.

import type { Image } from "../../rental/catalog/image-store.ts";
import type { Offer } from "../../rental/catalog/offers.ts";
import type { Instance, InstanceType } from "../../rental/instances/instance.ts";
import { sample } from "./schema.ts";

const product: InstanceType = {
  name: "gpu_1x_h100_pcie",
  description: "1x H100 (80 GB PCIe)",
  gpuModel: "H100-PCIE-80GB",
  gpuDescription: "H100 (80 GB PCIe)",
  gpus: 1,
  vcpus: 26,
  memoryGib: 200,
  storageGb: 1024,
  priceCentsPerHour: 249,
  spotPriceCentsPerHour: 99,
  architecture: "x86_64",
};

export const sampleOffer: Offer = {
  product,
  capacityAvailable: 12,
  regions: [{ ...sample.region, capacityAvailable: 12 }],
};

export const sampleImage: Image = {
  name: "ubuntu-24.04-cuda",
  number: 3,
  description: "Ubuntu 24.04 with CUDA 13",
  family: "ubuntu",
  version: "24.04.2",
  architecture: "x86_64",
  loginUser: "ubuntu",
  unsupportedGpuModels: ["k80"],
  driverBranch: "570",
  jupyter: true,
  metrics: true,
  isDefault: true,
  createdAt: new Date("2026-02-01T12:00:00.000Z"),
  updatedAt: new Date("2026-02-01T12:00:00.000Z"),
};

export const sampleInstance: Instance = {
  id: sample.id,
  position: 1,
  accountId: "0198c59f-0000-7000-8000-000000000001",
  name: "training",
  hostname: "training-5f1f2b6d",
  state: "active",
  generation: 1,
  health: "ok",
  progress: null,
  failure: null,
  region: sample.region,
  // Frozen: with one price.
  product: { ...product, spotPriceCentsPerHour: null },
  coupon: { code: "SPRING10", discountBasisPoints: 1000 },
  image: { name: sampleImage.name, number: sampleImage.number, description: sampleImage.description },
  loginUser: "ubuntu",
  passwordSealed: null,
  jupyterTokenSealed: null,
  sshKeys: [{ name: "laptop", publicKey: sample.publicKey }],
  fileSystemNames: ["models"],
  fileSystemMounts: [{ fileSystemId: "0198c5a4-33cc-7dd4-9ee5-ff6677889900", mountPoint: "/mnt/models" }],
  tags: [{ key: "team", value: "vision" }],
  firewallRulesetIds: [],
  command: null,
  hasEnvVars: false,
  hasUserData: false,
  engine: "simulated",
  host: "host-1",
  gpuAddresses: ["0000:17:00.0"],
  ip: "203.0.113.17",
  tokenId: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  idleRule: null,
  reservationId: null,
  maxLifetimeSeconds: null,
  expiresAt: null,
  stoppedFor: null,
  hasMetrics: true,
  isSpot: false,
  evictAt: null,
  isStoppedForEviction: false,
  endedBy: null,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
  activeAt: new Date("2026-03-01T12:00:42.000Z"),
  terminatingAt: null,
  terminatedAt: null,
};
