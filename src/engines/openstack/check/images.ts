// Whether the images of the settings are in Glance, active, and disks that boot.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import type { CloudImage } from "../settings/image.ts";
import { ImageItem } from "./answers.ts";
import { called, ifAllowed, type Subject } from "./subject.ts";

/** The status of an image in Glance whose content is there. */
const COMPLETE = "active";
const diskFormats = ["raw", "qcow2", "vmdk", "vdi", "vhd", "vhdx"];

export async function* checkImages(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const images = Object.entries(subject.cloud.settings.images);
  for (const [name, source] of images) yield* checkImage(subject, name, source, signal);
  if (images.length > 0) return;
  const names = await imageNames(subject, signal);
  yield names.length > 0
    ? ok(called(subject, "images"), `the catalog can use ${some(names)}`)
    : problem(called(subject, "images"), "Glance has none for the project", importing(subject, "<name>"));
}

/** Names of active images, of which the catalog can use each. */
export async function imageNames({ cloud, region }: Subject, signal: AbortSignal): Promise<string[]> {
  const all = await cloud.client.readAll(region.place.image, "/images", "images", ImageItem, signal, {
    status: COMPLETE,
  });
  return [...new Set(all.map(({ name }) => name ?? "").filter((name) => name !== ""))];
}

async function* checkImage(
  subject: Subject,
  name: string,
  source: CloudImage,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = called(subject, `image ${name}`);
  const found = await find(subject, source, signal);
  const image = found.find(({ status }) => status === COMPLETE) ?? found[0];
  if (image === undefined) {
    return yield problem(
      what,
      source.kind === "id" ? `Glance has no image ${source.id}` : `Glance has no image named ${source.name}`,
      `correct it in images, or import it: ${importing(subject, name)}`,
    );
  }
  if (image.status !== COMPLETE) {
    return yield problem(
      what,
      `is ${image.status} in Glance`,
      "upload it, or activate it: openstack image set --activate",
    );
  }
  const format = image.disk_format ?? "unknown";
  if (!diskFormats.includes(format)) {
    return yield problem(what, `has the disk format ${format}`, "import an image of a disk, raw or qcow2");
  }
  if (found.filter(({ status }) => status === COMPLETE).length > 1) {
    yield warning(what, "several images have the name, and the newest is used", "set its id in images");
  }
  yield ok(what, `${image.id}, ${format}`);
}

async function find({ cloud: { client }, region }: Subject, source: CloudImage, signal: AbortSignal) {
  const { image } = region.place;
  if (source.kind === "name") {
    return client.readAll(image, "/images", "images", ImageItem, signal, {
      name: source.name,
      sort: "created_at:desc",
    });
  }
  const one = await ifAllowed(client.read(image, `/images/${source.id}`, ImageItem, signal));
  return one === undefined ? [] : [one];
}

function importing({ cloud }: Subject, name: string): string {
  return `lessor image import <file> --cluster ${cloud.settings.name} --alias ${name}`;
}

const some = (names: readonly string[]) => listed(names.length > 20 ? [...names.slice(0, 20), "others"] : names);
