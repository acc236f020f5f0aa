// A spot instance on a real cluster that is evicted for a launch that waits (support/service/eviction.ts).

import { inject, it } from "vitest";
import { evictOne, noticeSeconds } from "../support/service/eviction.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));
/** A member has room for one of these and no more. */
const half = { vcpus: 1, memory_gib: 14, storage_gb: 1, gpus: 0, price_cents_per_hour: 20 };

it("a guest reads when it is evicted, is shut down, and its place goes to the launch that waits", async () => {
  const service = await startService(lab, { limits: { spot: { notice_seconds: noticeSeconds } } });
  await service.control("PUT", "/instance-types/half", { ...half, spot_price_cents_per_hour: 5 });
  await evictOne(service, "half", lab.members.length);
});
