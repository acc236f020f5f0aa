// With the client of swagger-typescript-api.

import { Api } from "../generated/swagger-typescript-api/client";
import { rent, token, url } from "./rental";

const { instance } = new Api({
  baseUrl: url,
  baseApiParams: { headers: { authorization: `Bearer ${token}` } },
});
void rent({
  launch: async (order) => (await instance.launchInstance(order)).data.response,
  read: async (uuid) => (await instance.getInstance(uuid)).data.runningInstance,
  terminate: async (uuid) =>
    (await instance.terminateInstances({ instanceUuids: [uuid] })).data.response.data.terminated_instances,
});
