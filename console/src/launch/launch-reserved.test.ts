// Launching with a reservation from the console.

import { expect, it } from "vitest";
import { reservedLaunchId, reservedLaunchPath, reservedNote, reservedOrder } from "./launch-reserved.ts";
import { launchBody, lessorCommand } from "./order.ts";

const reservation = { id: "r-1", name: "week", instance_type: "gpu", region: "north", used: 1, quantity: 3 };

it("the launch is of all that is left of it, in its region, and the command the same", () => {
  const body = launchBody(reservedOrder(reservation), "gpu");
  expect(body).toEqual({ instance_type: "gpu", region: "north", quantity: 2, reservation_id: "r-1" });
  expect(lessorCommand(body)).toContain("--reservation r-1");
  expect(reservedNote(reservation)).toContain("2 of 3 are left");
  expect(reservedOrder({ ...reservation, used: 3 }).quantity).toBe(1);
});

it("the address of the launch page names it", () => {
  const path = reservedLaunchPath("r 1");
  expect(reservedLaunchId(new URLSearchParams(path.split("?")[1]))).toBe("r 1");
  expect(reservedLaunchId(new URLSearchParams())).toBeUndefined();
});
