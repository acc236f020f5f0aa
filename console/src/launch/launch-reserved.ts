// Launching with a reservation: the launch page with its instance type and region, for instances that it pays for. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { emptyOrder, type Order } from "./order.ts";

const parameter = "reservation";

/** The launch page for the reservation of this id. */
export const reservedLaunchPath = (id: string): string => `/launch?${parameter}=${encodeURIComponent(id)}`;

/** The id in the address of the launch page; undefined: it is a launch without one. */
export const reservedLaunchId = (search: URLSearchParams): string | undefined => search.get(parameter) || undefined;

type Reservation = Pick<Shape<"Reservation">, "id" | "name" | "instance_type" | "region" | "used" | "quantity">;

/** The order for all that is left of it. */
export function reservedOrder({ id, instance_type: instanceType, region, quantity, used }: Reservation): Order {
  return { ...emptyOrder, instanceType, region, quantity: Math.max(1, quantity - used), reservation: id };
}

/** What the launch page says of it. */
export function reservedNote({ name, quantity, used }: Reservation): string {
  const left = Math.max(0, quantity - used);
  return `The reservation ${name} pays for these instances, which end with it at the latest. ${left} of ${quantity} are left. Instance type and region are its own.`;
}
