// The transcript of Cinder, and of what Nova does with its volumes: apart from the other, since few labs have Cinder.

import { setTimeout as sleep } from "node:timers/promises";
import { type Site, Transcript } from "./transcript.ts";
import { at } from "./transcript-steps.ts";

const nothing = "6f1c7d0e-0000-4000-8000-000000000001";
const servers = "/v2.1/servers";

/** One line for each request. It leaves nothing behind. */
export async function volumeTranscript(site: Site): Promise<string[]> {
  const t = new Transcript(site);
  const volumes = `/v3/${site.admin.project}/volumes`;
  t.name("ADMIN", site.admin.project);
  const volume = await created(t, volumes);
  const flavor = { id: "lessor-t-volumes", name: "lessor-t-volumes", vcpus: 1, ram: 512, disk: 1 };
  await site.admin("compute", "POST", "/v2.1/flavors", { flavor });
  await attached(t, `${volumes}/${volume}`, volume);
  await fromTheStart(t, `${volumes}/${volume}`, volume);
  await site.admin("compute", "DELETE", "/v2.1/flavors/lessor-t-volumes");
  await t.ask("volume", "DELETE", `${volumes}/${volume}`);
  await becomes(t, `${volumes}/${volume}`, 404);
  await t.ask("volume", "DELETE", `${volumes}/${volume}`);
  return t.lines;
}

/** Writes down how it is then. */
async function becomes(t: Transcript, path: string, status: string | 404): Promise<void> {
  for (let left = 60_000 / t.site.pauseMs; left > 0; left--) {
    const answer = await t.site.admin("volume", "GET", path);
    if (answer.status === status || at(answer.body, "volume", "status") === status) break;
    await sleep(t.site.pauseMs);
  }
  await t.ask("volume", "GET", path);
}

async function created(t: Transcript, volumes: string): Promise<string> {
  await t.ask("volume", "GET", "/");
  const order = { volume: { size: 1, name: "lessor-t", metadata: { lessor: "t" } } };
  const made = await t.ask("volume", "POST", volumes, order);
  const id = String(at(made.body, "volume", "id"));
  t.name("VOLUME", id);
  await becomes(t, `${volumes}/${id}`, "available");
  for (const query of ["name=lessor-t", "name=nothing", "name=lessor-t&limit=1"])
    await t.ask("volume", "GET", `${volumes}/detail?${query}`);
  await t.ask("volume", "POST", volumes, { volume: { size: 0 } });
  await t.ask("volume", "POST", volumes, { volume: { size: 1, volume_type: "nothing" } });
  await t.ask("volume", "GET", `${volumes}/${nothing}`);
  await t.ask("volume", "DELETE", `${volumes}/${nothing}`);
  await t.ask("volume", "GET", volumes, undefined, { headers: { "openstack-api-version": "volume 3.999" } });
  await t.ask("volume", "GET", volumes, undefined, { headers: { "x-auth-token": "nothing" } });
  return id;
}

async function server(t: Transcript, name: string, part: object): Promise<string> {
  const base = {
    name: "lessor-t",
    imageRef: t.site.image,
    flavorRef: "lessor-t-volumes",
    networks: "none",
    host: "gpu1",
  };
  const { body } = await t.ask("compute", "POST", servers, { server: { ...base, ...part } });
  const id = String(at(body, "server", "id"));
  t.name(name, id);
  await t.until(id, "ACTIVE");
  return id;
}

async function attached(t: Transcript, path: string, volumeId: string): Promise<void> {
  const id = await server(t, "SERVER", {});
  const attachments = `${servers}/${id}/os-volume_attachments`;
  await t.ask("compute", "POST", attachments, { volumeAttachment: { volumeId } });
  await becomes(t, path, "in-use");
  await t.ask("compute", "POST", attachments, { volumeAttachment: { volumeId } });
  await t.ask("compute", "POST", attachments, { volumeAttachment: { volumeId: nothing } });
  await t.ask("compute", "GET", attachments);
  await t.ask("volume", "DELETE", path);
  await t.ask("compute", "DELETE", `${attachments}/${volumeId}`);
  await becomes(t, path, "available");
  await t.ask("compute", "DELETE", `${attachments}/${volumeId}`);
  await t.ask("compute", "GET", `${attachments}/${volumeId}`);
  await t.ask("compute", "DELETE", `${servers}/${id}`);
  await t.until(id, 404);
}

/** As the engine does it: with the order of the server. */
async function fromTheStart(t: Transcript, path: string, volumeId: string): Promise<void> {
  const image = {
    boot_index: 0,
    uuid: t.site.image,
    source_type: "image",
    destination_type: "local",
    delete_on_termination: true,
  };
  const disks = (uuid: string) => ({
    block_device_mapping_v2: [
      image,
      { boot_index: -1, uuid, source_type: "volume", destination_type: "volume", delete_on_termination: false },
    ],
  });
  const id = await server(t, "SERVER2", disks(volumeId));
  await becomes(t, path, "in-use");
  for (const uuid of [volumeId, nothing]) {
    const base = { name: "lessor-t", imageRef: t.site.image, flavorRef: "lessor-t-volumes", networks: "none" };
    await t.ask("compute", "POST", servers, { server: { ...base, ...disks(uuid) } });
  }
  await t.ask("compute", "DELETE", `${servers}/${id}`);
  await t.until(id, 404);
  await becomes(t, path, "available");
}
