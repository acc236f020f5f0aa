// The fleet before it is known: of about the size that it will have, so that nothing jumps.

import { Skeleton } from "@mantine/core";
import classes from "./fleet-map.module.css";

const tiles = Array.from({ length: 12 }, (_, index) => `tile ${index}`);

export function FleetSkeleton() {
  return (
    <div aria-busy="true">
      <p className="hidden" role="status">
        Loading hosts.
      </p>
      <Skeleton height={36} />
      <Skeleton height={30} mt={14} width="60%" />
      {["first", "second"].map((region) => (
        <div key={region} className={classes.region}>
          <Skeleton height={20} width={180} mb={12} />
          <div className={classes.tiles}>
            {tiles.map((tile) => (
              <Skeleton key={tile} height={58} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
