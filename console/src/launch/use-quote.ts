// Reads the price and capacity of an order, and which of its names are in use, while it is edited.

import { useDebouncedValue } from "@mantine/hooks";
import { LessorError, type Shape } from "../../../src/client/client.ts";
import { checkInstanceName } from "../../../src/rules/names.ts";
import { useRead } from "../api/queries.ts";
import { validLifetime } from "./more-options.ts";
import type { Order } from "./order.ts";

/** While a coupon's code, a name, a lifetime or labels of hosts are typed. */
const typingMilliseconds = 350;

/** Released capacity has no event here: while an order does not fit, it is polled. */
const againMilliseconds = 15_000;

export interface Quoting {
  /** Of the order, with its coupon if valid; undefined: loading. */
  readonly quote: Shape<"Quote"> | undefined;
  /** Whether it is of the order as it was before the last change. */
  readonly isFormer: boolean;
  readonly error: Error | null;
  /** Why the coupon is rejected. The price without it is read too, so a rejected code leaves no gap. */
  readonly couponError: LessorError | null;
  /** The code that was typed is being looked up. */
  readonly isChecking: boolean;
}

/** `isOffered`: whether the chosen type exists. `mostSeconds`: the account's maximum lifetime; null: unlimited. */
export function useQuote(order: Order, isOffered: boolean, mostSeconds: number | null): Quoting {
  const [coupon] = useDebouncedValue(order.coupon.trim(), typingMilliseconds);
  const [name] = useDebouncedValue(order.name.trim(), typingMilliseconds);
  const [hostSelector] = useDebouncedValue(order.hostSelector.trim(), typingMilliseconds);
  const [lifetime] = useDebouncedValue(validLifetime(order.lifetime, mostSeconds), typingMilliseconds);
  const enabled = order.instanceType !== undefined && isOffered;
  const priced = {
    instance_type: order.instanceType ?? "",
    quantity: order.quantity,
    ...(order.region === "any" ? {} : { region: order.region }),
    ...(hostSelector === "" ? {} : { host_selector: hostSelector }),
    ...(order.spot ? { spot: true } : {}),
    ...(lifetime === undefined ? {} : { max_lifetime_seconds: lifetime }),
  };
  const query = {
    ...priced,
    // An invalid name has an error at its field.
    ...(name === "" || checkInstanceName(name, order.quantity) !== undefined ? {} : { name }),
  };
  const plain = useRead(["quote", query], (client) => client.GET("/quote", { params: { query } }), {
    enabled,
    keep: true,
    again: (read) => (read?.data.fits === false ? againMilliseconds : false),
  });
  const discounted = useRead(
    ["quote", priced, coupon],
    (client) => client.GET("/quote", { params: { query: { ...priced, coupon } } }),
    { enabled: enabled && coupon !== "" },
  );
  const { error } = discounted;
  const couponError = coupon !== "" && error instanceof LessorError && error.status < 500 ? error : null;
  const known = plain.data?.data;
  const price = coupon === "" ? known : (discounted.data?.data ?? known);
  return {
    quote: enabled && price !== undefined ? { ...price, ...(known && withoutPrice(known)) } : undefined,
    isFormer: plain.isPlaceholderData,
    error: enabled ? plain.error : null,
    couponError,
    isChecking: enabled && order.coupon.trim() !== "" && (coupon !== order.coupon.trim() || discounted.isFetching),
  };
}

/** Only the quote without the coupon has the name and is polled. */
function withoutPrice({ fits, fits_in, region_chosen, returning, names_in_use }: Shape<"Quote">) {
  return { fits, fits_in, region_chosen, returning, names_in_use };
}
