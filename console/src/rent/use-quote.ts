// What an order costs and whether it fits, asked while it is put together.

import { useDebouncedValue } from "@mantine/hooks";
import { LessorError } from "../../../src/client/index.ts";
import { useRead } from "../api/queries.ts";
import type { Order } from "./order.ts";

/** While somebody types a coupon's code. */
const typingMilliseconds = 350;

/**
 * `quote`: of the order, with its coupon where that is good; `couponError`: why the coupon is not. The price without the
 * coupon is asked for too, so a refused code leaves no gap.
 */
export function useQuote(order: Order) {
  const [coupon] = useDebouncedValue(order.coupon.trim(), typingMilliseconds);
  const enabled = order.instanceType !== undefined;
  const query = {
    instance_type: order.instanceType ?? "",
    quantity: order.quantity,
    ...(order.region === "any" ? {} : { region: order.region }),
  };
  const plain = useRead(["quote", query], (client) => client.GET("/quote", { params: { query } }), {
    enabled,
    keep: true,
  });
  const discounted = useRead(
    ["quote", query, coupon],
    (client) => client.GET("/quote", { params: { query: { ...query, coupon } } }),
    { enabled: enabled && coupon !== "" },
  );
  const refused = coupon !== "" && discounted.error instanceof LessorError && discounted.error.status < 500;
  const quote = coupon !== "" && discounted.data !== undefined ? discounted.data.data : plain.data?.data;
  return {
    quote: enabled ? quote : undefined,
    error: enabled ? plain.error : null,
    couponError: refused ? discounted.error : null,
    /** The code that was typed is being looked up. */
    isChecking: enabled && order.coupon.trim() !== "" && (coupon !== order.coupon.trim() || discounted.isFetching),
  };
}
