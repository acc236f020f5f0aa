// What accounts read of the metrics of guests, for tests on real machines.

import type { Customer, Service } from "./service.ts";

interface Metrics {
  readonly series: readonly { readonly metric: string; readonly values: readonly (number | null)[] }[];
}

/** The known values of the last hour. */
export async function guestValues(service: Service, id: string, customer: Customer, metric: string): Promise<number[]> {
  const url = `${service.urls.control}/instances/${id}/metrics`;
  const { data } = (await service.call("GET", url, customer.token)) as { data: Metrics };
  const found = data.series.find((one) => one.metric === metric);
  return (found?.values ?? []).filter((value) => value !== null);
}
