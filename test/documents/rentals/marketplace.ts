// A rental through the marketplace interface, with a client typed by its document: a key, a launch, a stop, a restart, the end.

import process from "node:process";
import createClient from "openapi-fetch";
import { client, given, setting, until } from "./steps.ts";
import type { components, paths } from "./types/marketplace.ts";

const api = createClient<paths>(client);

const offers = given(await api.GET("/instance-types")).data;
const offer = offers[setting("LESSOR_TYPE")];
if (offer === undefined) throw new Error("the type is not offered");

const key = given(await api.POST("/ssh-keys", { body: { name: "rental", public_key: setting("LESSOR_KEY") } })).data;
const launched = given(
  await api.POST("/instance-operations/launch", {
    body: {
      instance_type_name: offer.instance_type.name,
      region_name: "any",
      ssh_key_names: [key.name],
      quantity: 1,
    },
  }),
);
const [id = ""] = launched.data.uuids;

async function read(): Promise<components["schemas"]["InstanceV1"]> {
  return given(await api.GET("/instances/{uuid}", { params: { path: { uuid: id } } })).data;
}
const active = await until(read, ({ status }) => status === "active");
given(await api.POST("/instance-operations/stop", { body: { instance_uuids: [active.id] } }));
await until(read, ({ status }) => status === "stopped");
given(await api.POST("/instance-operations/restart", { body: { instance_uuids: [active.id] } }));
await until(read, ({ status }) => status === "active");
given(await api.POST("/instance-operations/terminate", { body: { instance_ids: [active.id] } }));
const ended = await until(read, ({ status }) => status === "terminated");
given(await api.DELETE("/ssh-keys/{uuid}", { params: { path: { uuid: key.id } } }));
process.stdout.write(`${ended.id} ${ended.status}\n`);
