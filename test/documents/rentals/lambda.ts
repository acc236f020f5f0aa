// A rental through the lambda edition, with a client typed by its document: a key, a launch, the end.

import process from "node:process";
import createClient from "openapi-fetch";
import { client, given, setting, until } from "./steps.ts";
import type { components, paths } from "./types/lambda.ts";

const api = createClient<paths>(client);

const offer = given(await api.GET("/instance-types")).data[setting("LESSOR_TYPE")];
const region = offer?.regions_with_capacity_available[0];
if (offer === undefined || region === undefined) throw new Error("the type is not offered anywhere");

given(await api.POST("/ssh-keys", { body: { name: "rental" } }));
const launched = given(
  await api.POST("/instance-operations/launch", {
    body: {
      instance_type_name: offer.instance_type.name,
      region_name: region.name,
      ssh_key_names: ["rental"],
      quantity: 1,
    },
  }),
);
const [id = ""] = launched.data.instance_ids;

async function read(): Promise<components["schemas"]["Instance"]> {
  return given(await api.GET("/instances/{id}", { params: { path: { id } } })).data;
}
await until(read, ({ status }) => status === "active");
given(await api.POST("/instance-operations/terminate", { body: { instance_ids: [id] } }));
const ended = await until(read, ({ status }) => status === "terminated");
process.stdout.write(`${ended.id} ${ended.status}\n`);
