// A spot instance on a real virtual machine that is evicted for a launch that waits (support/service/eviction.ts): its guest
// gets the notice by a port of its machine.

import { inject, it } from "vitest";
import { evictOne, noticeSeconds } from "../support/service/eviction.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, hostsWith, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const [first] = lab.hosts;
const small = { vcpus: 1, memory_gib: 1, storage_gb: 2, gpus: 0, price_cents_per_hour: 20 };

it("a guest reads when it is evicted, is shut down, and its place goes to the launch that waits", async () => {
  const room = { vcpus: 1, memory_gib: 1, storage_gb: 40, gpus: [] };
  const hosts = hostsWith(lab, (name) => (name === first?.name ? room : { ...room, storage_gb: 1 }));
  const service = await startService(lab, { engine: { hosts }, limits: { spot: { notice_seconds: noticeSeconds } } });
  await service.control("PUT", "/instance-types/small", { ...small, spot_price_cents_per_hour: 5 });
  await evictOne(service, "small", 1);
  await nothingLeft(lab);
});
