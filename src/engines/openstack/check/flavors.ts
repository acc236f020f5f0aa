// Whether there are flavors for what can be launched: those of the operator, or the right to create them.

import { Compile } from "typebox/compile";
import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { type Flavor, FlavorSchema } from "../api.ts";
import type { Size } from "../flavors.ts";
import type { CloudGpu } from "../settings/settings.ts";
import { called, type Subject } from "./subject.ts";

const FlavorItem = Compile(FlavorSchema);

export async function* checkFlavors(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = called(subject, "flavors");
  const { cloud, project } = subject;
  if (cloud.settings.flavors === "created") {
    if (project.roles.includes("admin")) {
      return yield ok(what, "Lessor creates them, each for one size; the test instance verifies the right");
    }
    return yield warning(
      what,
      "Lessor creates them, which most clouds allow only the role admin; the test instance verifies the right",
      "if it fails, set flavors: mapped, and create a flavor for each size of the catalog",
    );
  }
  const flavors = await readFlavors(subject, signal);
  if (flavors.length > 0 && flavors.every(({ extra_specs }) => extra_specs === undefined)) {
    yield problem(
      what,
      "the cloud hides extra specs from the credentials, so flavors with GPUs cannot be told from others",
      "allow os_compute_api:os-flavor-extra-specs:index to the project's role",
    );
  }
  for (const [gpuClass, gpu] of Object.entries(cloud.settings.gpus)) {
    const sizes = flavors.filter((flavor) => gpusIn(flavor, gpuClass, gpu) > 0);
    if (sizes.length > 0) yield ok(what, `with ${gpuClass}: ${listed(sizes.map((one) => sizeOf(one, gpuClass, gpu)))}`);
    else {
      yield warning(
        what,
        `none has ${gpuClass}, so ${gpu.model} cannot be launched`,
        `openstack flavor create, with the property ${propertyFor(gpuClass, gpu)}`,
      );
    }
  }
  const plain = flavors.filter(hasNoGpu);
  if (plain.length > 0) yield ok(what, `without GPUs: ${listed(plain.map((one) => sizeOf(one)))}`);
  const odd = flavors.filter(({ ram }) => ram % 1024 !== 0);
  if (odd.length > 0) {
    yield warning(
      what,
      `${listed(odd.map(({ name }) => name))}: memory that is no multiple of 1024 MiB fits no instance type`,
      "create one with whole GiB",
    );
  }
  if (flavors.length === 0) yield problem(what, "the project has none", "openstack flavor create, then set its access");
}

/** The size of a test instance; undefined: no flavor without GPUs fits. */
export async function testSize(subject: Subject, signal: AbortSignal): Promise<Omit<Size, "gpuAddresses"> | undefined> {
  // As large as images need.
  if (subject.cloud.settings.flavors === "created") return { vcpus: 1, memoryGib: 1, storageGb: 20 };
  const [smallest] = (await readFlavors(subject, signal))
    .filter((flavor) => hasNoGpu(flavor) && flavor.ram % 1024 === 0 && flavor.disk >= 10)
    .sort((a, b) => a.ram - b.ram || a.vcpus - b.vcpus || a.disk - b.disk);
  return smallest && { vcpus: smallest.vcpus, memoryGib: smallest.ram / 1024, storageGb: smallest.disk };
}

function readFlavors({ cloud: { client }, region }: Subject, signal: AbortSignal): Promise<Flavor[]> {
  return client.readAll(region.place.compute, "/flavors/detail", "flavors", FlavorItem, signal);
}

function hasNoGpu({ extra_specs = {} }: Flavor): boolean {
  return !Object.keys(extra_specs).some((key) =>
    /^resources\d*:CUSTOM_|^resources\d*:[VP]GPU$|^pci_passthrough/.test(key),
  );
}

function gpusIn({ extra_specs = {} }: Flavor, gpuClass: string, { alias }: CloudGpu): number {
  if (alias === undefined) return Number(extra_specs[`resources:${gpuClass}`] ?? 0);
  const asked = (extra_specs["pci_passthrough:alias"] ?? "").split(",").map((one) => one.trim().split(":"));
  return Number(asked.find(([name]) => name === alias)?.[1] ?? 0);
}

function sizeOf(flavor: Flavor, gpuClass?: string, gpu?: CloudGpu): string {
  const count = gpuClass === undefined || gpu === undefined ? 0 : gpusIn(flavor, gpuClass, gpu);
  const gpus = count === 0 ? "" : `${count} GPU${count === 1 ? "" : "s"}, `;
  return `${flavor.name} (${gpus}${flavor.vcpus} vCPUs, ${flavor.ram / 1024} GiB, ${flavor.disk} GB)`;
}

function propertyFor(gpuClass: string, { alias, trait }: CloudGpu): string {
  const gpus = alias === undefined ? `resources:${gpuClass}=<count>` : `pci_passthrough:alias=${alias}:<count>`;
  return trait === undefined ? gpus : `${gpus} and trait:${trait}=required`;
}
