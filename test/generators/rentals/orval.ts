// With the client of orval.

import { getInstance, launchInstance, terminateInstances } from "../generated/orval/client";
import { rent, token } from "./rental";

const options = { headers: { authorization: `Bearer ${token}` } };
void rent({
  launch: async (order) => {
    const answer = await launchInstance(order, options);
    if (answer.status !== 202) throw new Error(answer.data.error.code);
    return answer.data.response;
  },
  read: async (uuid) => {
    const answer = await getInstance(uuid, options);
    if (answer.status !== 200) throw new Error(answer.data.error.code);
    return answer.data.runningInstance;
  },
  terminate: async (uuid) => {
    const answer = await terminateInstances({ instanceUuids: [uuid] }, options);
    if (answer.status !== 202) throw new Error(answer.data.error.code);
    return answer.data.response.data.terminated_instances;
  },
});
