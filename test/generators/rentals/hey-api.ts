// With the client of @hey-api/openapi-ts.

import { getInstance, launchInstance, terminateInstances } from "../generated/hey-api";
import { client } from "../generated/hey-api/client.gen";
import { given, rent, token, url } from "./rental";

client.setConfig({ baseUrl: url, auth: () => token });
void rent({
  launch: async (body) => {
    const { data, error } = await launchInstance({ body });
    return given(data, error).response;
  },
  read: async (uuid) => {
    const { data, error } = await getInstance({ path: { uuid } });
    return given(data, error).runningInstance;
  },
  terminate: async (uuid) => {
    const { data, error } = await terminateInstances({ body: { instanceUuids: [uuid] } });
    return given(data, error).response.data.terminated_instances;
  },
});
