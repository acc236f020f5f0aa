// All hosts, read through the control API. One read for the whole fleet: pages that show hosts share it.

import { useRead } from "../../api/queries.ts";

export const useHosts = () => useRead(["hosts"], (client) => client.GET("/hosts"));
