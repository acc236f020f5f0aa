// The actions of operators on instances of any account: buttons on an instance's page, a menu in lists, a bar for several.
// Each asks for a reason (reason-dialog.tsx).

import { Button } from "@mantine/core";
import { useState } from "react";
import type { InstanceAction as Action } from "../../../../src/rules/lifecycle.ts";
import { ActionItems } from "../../instances/action-items.tsx";
import { able, actionIcons, actionsFor, actionTitles } from "../../instances/action-words.ts";
import { SelectionBar } from "../../instances/selection-bar.tsx";
import { Icon } from "../../shared/icon.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { RowMenu } from "../../shared/row-menu.tsx";
import type { Instance } from "./instance-columns.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

/** The actions that its state allows, as buttons. */
export function ActionButtons({ instance }: { readonly instance: Instance }) {
  const [asking, setAsking] = useState<Action>();
  return (
    <>
      {actionsFor(instance.status).map((action) => (
        <Button
          key={action}
          variant={action === "terminate" ? "light" : "default"}
          {...(action === "terminate" ? { color: "red" } : {})}
          leftSection={<Icon name={actionIcons[action]} />}
          onClick={() => setAsking(action)}
        >
          {actionTitles[action]}
        </Button>
      ))}
      {asking !== undefined && (
        <ReasonDialog action={asking} instances={[instance]} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

/** The same as a menu; nothing if no action is allowed. */
export function ActionMenu({ instance }: { readonly instance: Instance }) {
  const [asking, setAsking] = useState<Action>();
  return (
    <>
      {actionsFor(instance.status).length > 0 && (
        <RowMenu label={`Actions for ${nameShown(instance)}`} width={160}>
          <ActionItems instance={instance} onChoose={setAsking} />
        </RowMenu>
      )}
      {asking !== undefined && (
        <ReasonDialog action={asking} instances={[instance]} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

interface ActionBarProps {
  readonly chosen: readonly Instance[];
  /** Clears the selection. */
  readonly onClear: () => void;
}

/** For the selected instances; nothing without a selection. */
export function ActionBar({ chosen, onClear }: ActionBarProps) {
  const [asking, setAsking] = useState<Action>();
  return (
    <>
      <SelectionBar chosen={chosen} onAction={setAsking} onClear={onClear} />
      {asking !== undefined && (
        <ReasonDialog
          action={asking}
          instances={able(chosen, asking)}
          onClose={() => setAsking(undefined)}
          onDone={onClear}
        />
      )}
    </>
  );
}
