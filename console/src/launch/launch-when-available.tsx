// The button that lets an order wait until there is capacity for it, and for how long. Used by the summary of the launch page.

import { Button, Group, Select } from "@mantine/core";
import { useState } from "react";
import type { LaunchRequest } from "./order.ts";

const spans = [
  { value: "1", label: "for a day" },
  { value: "3", label: "for 3 days" },
  { value: "7", label: "for a week" },
  { value: "30", label: "for 30 days" },
];

interface LaunchWhenAvailableProps {
  readonly isPending: boolean;
  readonly onLaunch: (wait: NonNullable<LaunchRequest["wait"]>) => void;
}

export function LaunchWhenAvailable({ isPending, onLaunch }: LaunchWhenAvailableProps) {
  const [days, setDays] = useState("1");
  // Not when it is pressed: pressed again after a lost response, it is the same launch.
  const [from] = useState(() => Date.now());
  const launch = () => onLaunch({ until: new Date(from + Number(days) * 86_400_000).toISOString() });
  return (
    <Group gap="xs">
      <Button size="md" flex="1 0 auto" variant="light" loading={isPending} onClick={launch}>
        Launch when available
      </Button>
      <Select
        aria-label="How long it waits"
        flex="1 0 130px"
        data={spans}
        value={days}
        allowDeselect={false}
        onChange={(value) => setDays(value ?? days)}
      />
    </Group>
  );
}
