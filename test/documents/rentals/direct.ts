// A rental through the direct interface, with a client typed by its document: the inventory, a launch, a look, the end.

import process from "node:process";
import createClient from "openapi-fetch";
import { client, given, setting, until } from "./steps.ts";
import type { components, paths } from "./types/direct.ts";

const api = createClient<paths>(client);

given(await api.POST("/account/token/validation", {}));
const offer = given(await api.GET("/gpu-inventory")).gpu_inventory[setting("LESSOR_TYPE")];
if (offer === undefined) throw new Error("the type is not offered");

const { sshKey } = given(await api.POST("/ssh-keys", { body: { name: "rental", publicKey: setting("LESSOR_KEY") } }));
const { response: uuid } = given(
  await api.POST("/instance/launch", {
    body: { productName: offer.instance_type.name, regionName: "any", sshKeys: [sshKey.name] },
  }),
);

async function read(): Promise<components["schemas"]["Instance"]> {
  return given(await api.GET("/instance/{uuid}", { params: { path: { uuid } } })).runningInstance;
}
const active = await until(read, ({ os_booted }) => os_booted === 1);
const listed = given(await api.GET("/instance")).runningInstances;
if (!listed.some((one) => one.uuid === active.uuid)) throw new Error("what runs is not listed");
const { response } = given(await api.POST("/instance/terminate", { body: { instanceUuids: [active.uuid] } }));
if (response.data.terminated_instances.length !== 1) throw new Error("not one instance was terminated");
const ended = await until(read, ({ status }) => status === "terminated");
process.stdout.write(`${ended.uuid} ${ended.status}\n`);
