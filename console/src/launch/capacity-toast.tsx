// Tells of capacity that the account asked to be told of (notify-me.tsx), on whatever page the user is. It stays until it is
// closed: who waits for capacity looks elsewhere meanwhile.

import { Anchor } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link } from "wouter";
import type { EventRead } from "../api/event-stream.tsx";
import { capacityIn } from "../events/event-words.ts";

export function tellOfCapacity({ type, data }: EventRead): void {
  const place = type === "capacity.available" ? capacityIn(data) : undefined;
  if (place === undefined) return;
  const id = `capacity ${place}`;
  // One of the same place that is still there says the same.
  notifications.hide(id);
  notifications.show({
    id,
    color: "green",
    title: "Capacity available",
    message: (
      <>
        {place}.{" "}
        <Anchor component={Link} href="/launch">
          Launch instance
        </Anchor>
      </>
    ),
    autoClose: false,
  });
}
