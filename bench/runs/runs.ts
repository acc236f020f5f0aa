// The run of every measure, by name.

import type { Bench } from "../bench.ts";
import type { MeasureName } from "../measures.ts";
import type { Result } from "../verdict.ts";
import { console } from "./console.ts";
import { dispatch } from "./dispatch.ts";
import { event } from "./event.ts";
import { flapping } from "./flapping.ts";
import { handover } from "./handover.ts";
import { hosts } from "./hosts.ts";
import { hot } from "./hot.ts";
import { launch, launchAll } from "./launch.ts";
import { launchPlacement } from "./launch-placement.ts";
import { list } from "./list.ts";
import { metrics } from "./metrics.ts";
import { million } from "./million.ts";
import { openstack } from "./openstack/openstack.ts";
import { packing } from "./packing.ts";
import { read } from "./read.ts";
import { rest } from "./rest.ts";
import { scale } from "./scale.ts";
import { size } from "./size.ts";
import { start } from "./start.ts";
import { storm } from "./storm.ts";
import { sweep } from "./sweep.ts";
import { types } from "./types.ts";
import { waiting } from "./waiting.ts";
import { workers } from "./workers.ts";

export const runs: Record<MeasureName, (bench: Bench) => Promise<Result>> = {
  list,
  types,
  read,
  launch,
  "launch-all": launchAll,
  "launch-placement": launchPlacement,
  storm,
  hot,
  scale,
  dispatch,
  handover,
  waiting,
  event,
  rest,
  hosts,
  flapping,
  openstack,
  sweep,
  metrics,
  start,
  packing,
  size,
  million,
  console,
  workers,
};
