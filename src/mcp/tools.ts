// Every tool, in the order that agents see.

import { showAccount, showUsage } from "./account-tools.ts";
import { listInstances, restartInstances, showInstance, stopInstances } from "./instance-tools.ts";
import { addKey, deleteKey, listKeys } from "./key-tools.ts";
import { launchInstance } from "./launch-tool.ts";
import { showMetrics } from "./metrics-tool.ts";
import { addNotice, deleteNotice, listNotices } from "./notice-tools.ts";
import { listInstanceTypes } from "./product-tools.ts";
import { cancelReservation, listReservations, quoteReservation, reserveCapacity } from "./reservation-tools.ts";
import { terminateInstances } from "./terminate-tool.ts";
import type { Tool } from "./tool.ts";
import { waitForInstance } from "./wait-tool.ts";
import { cancelLaunch, listLaunches } from "./waiting-tools.ts";

export const tools: readonly Tool[] = [
  listInstanceTypes,
  launchInstance,
  waitForInstance,
  listLaunches,
  cancelLaunch,
  listReservations,
  quoteReservation,
  reserveCapacity,
  cancelReservation,
  listNotices,
  addNotice,
  deleteNotice,
  listInstances,
  showInstance,
  showMetrics,
  stopInstances,
  restartInstances,
  terminateInstances,
  listKeys,
  addKey,
  deleteKey,
  showAccount,
  showUsage,
];
