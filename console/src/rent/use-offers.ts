// What can be rented now, and where.

import { useRead } from "../api/queries.ts";

export function useOffers() {
  const read = useRead(["offers"], (client) => client.GET("/offers"));
  const offers = read.data?.data;
  // Each offer names all regions.
  return { read, offers, regions: offers?.[0]?.regions ?? [] };
}
