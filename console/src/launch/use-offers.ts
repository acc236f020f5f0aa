// Reads what can be launched now, and where; and the names of its instance types.

import { useRead } from "../api/queries.ts";
import { typeTitle } from "../shared/names.tsx";
import { returningPollMilliseconds } from "../shared/returning.tsx";

/** `isWaiting`: read again and again while GPUs are being reset or validated. */
export function useOffers({ isWaiting = false } = {}) {
  const read = useRead(["offers"], (client) => client.GET("/offers"), {
    again: (known) => {
      const isAnyBack = known?.data.some(({ regions }) => regions.some(({ returning }) => returning.length > 0));
      return isWaiting && isAnyBack === true ? returningPollMilliseconds : false;
    },
  });
  const offers = read.data?.data;
  // Each offer names all regions.
  return { read, offers, regions: offers?.[0]?.regions ?? [] };
}

/** The title of an instance type; its name if it is no longer offered or not loaded. */
export function useTypeTitles(): (name: string) => string {
  const { offers = [] } = useOffers();
  const titles = new Map(offers.map(({ instance_type: type }) => [type.name, typeTitle(type)]));
  return (name) => titles.get(name) ?? name;
}
