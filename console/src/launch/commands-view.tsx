// The order as a command, to save or to use in a program.

import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useSession } from "../api/session-context.tsx";
import { CopyableBlock } from "../shared/copyable.tsx";
import { curlCommand, type LaunchBody, lessorCommand, type Order } from "./order.ts";
import classes from "./summary.module.css";

interface CommandsProps {
  readonly body: LaunchBody;
  readonly fileSystems: Order["fileSystems"];
}

export function Commands({ body, fileSystems }: CommandsProps) {
  const { control_url } = useSession();
  const [shown, setShown] = useState<"lessor" | "curl">("lessor");
  const names = new Map(fileSystems.map(({ id, name }) => [id, name]));
  const address = new URL(control_url, window.location.origin).href;
  return (
    <div className={classes.commands}>
      <SegmentedControl
        aria-label="Launch with a command"
        value={shown}
        onChange={setShown}
        data={[
          { value: "lessor", label: "lessor" },
          { value: "curl", label: "curl" },
        ]}
        size="xs"
        mb="xs"
      />
      <CopyableBlock
        value={shown === "curl" ? curlCommand(address, body) : lessorCommand(body, names)}
        label={`${shown} command`}
      />
    </div>
  );
}
