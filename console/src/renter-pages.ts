// The pages of everybody who rents. Used by pages.ts.

import type { ConsolePage } from "./pages.ts";

/** Where the console opens. */
export const renterHome = "/machines";

export const renterPages: readonly ConsolePage[] = [
  {
    path: "/machines",
    title: "Machines",
    navigation: { section: "", icon: "machine" },
    load: async () => (await import("./machines/machines-page.tsx")).MachinesPage,
  },
];
