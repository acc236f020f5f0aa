// With the client of openapi-typescript-codegen.

import { InstancesService, OpenAPI } from "../generated/openapi-typescript-codegen";
import { rent, token, url } from "./rental";

OpenAPI.BASE = url;
OpenAPI.TOKEN = token;
void rent({
  launch: async (order) => (await InstancesService.launchInstance(order)).response,
  read: async (uuid) => (await InstancesService.getInstance(uuid)).runningInstance,
  terminate: async (uuid) =>
    (await InstancesService.terminateInstances({ instanceUuids: [uuid] })).response.data.terminated_instances,
});
