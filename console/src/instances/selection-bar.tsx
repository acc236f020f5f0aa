// The bar of actions on the selected instances of a list. An action leaves out instances whose state does not allow it.

import { Button } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { counted } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { able, actionIcons, actionTitles } from "./action-words.ts";
import classes from "./selection-bar.module.css";

const offered = ["stop", "reboot", "terminate"] as const satisfies readonly Action[];

interface SelectionBarProps {
  readonly chosen: readonly Shape<"Instance">[];
  readonly onAction: (action: Action) => void;
  /** Clears the selection. */
  readonly onClear: () => void;
}

/** Nothing without a selection. */
export function SelectionBar({ chosen, onAction, onClear }: SelectionBarProps) {
  if (chosen.length === 0) return null;
  return (
    <section className={classes.bar} aria-label="Selected instances">
      <strong>{counted(chosen.length, "instance")} selected</strong>
      {offered.map((action) => (
        <Button
          key={action}
          size="xs"
          variant={action === "terminate" ? "light" : "default"}
          {...(action === "terminate" ? { color: "red" } : {})}
          leftSection={<Icon name={actionIcons[action]} size={13} />}
          disabled={able(chosen, action).length === 0}
          onClick={() => onAction(action)}
        >
          {actionTitles[action]} selected
        </Button>
      ))}
      <Button variant="subtle" color="gray" size="xs" onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
