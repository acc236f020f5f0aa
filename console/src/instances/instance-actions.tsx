// The actions of customers: buttons on an instance's page, a menu in lists, a bar for several. What the state does not
// allow is not offered.

import { ActionIcon, Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { launchAgainPath } from "../launch/launch-again.ts";
import { Icon } from "../shared/icon.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { RowMenu } from "../shared/row-menu.tsx";
import { act, rejection, touchedByAction } from "./act.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { ActionItems } from "./action-items.tsx";
import { able, actionIcons, actionsFor, actionTitles } from "./action-words.ts";
import { IdleDialog } from "./idle-dialog.tsx";
import { hasEnded } from "./live-cost.ts";
import { Loss } from "./loss.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { ReportFaultDialog } from "./report-fault-dialog.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { TagsDialog } from "./tags-dialog.tsx";

type Instance = Shape<"Instance">;
/** What has a dialog of its own. */
const ownDialogs = ["rename", "tags", "idle", "fault"] as const;
type OwnDialog = (typeof ownDialogs)[number];
type Asking = Action | OwnDialog;

function isOwnDialog(asking: Asking): asking is OwnDialog {
  return ownDialogs.some((one) => one === asking);
}

interface InstanceActionsProps {
  readonly instance: Instance;
  readonly as: "menu" | "buttons";
}

/** Nothing for tokens without the scope `write`. */
export function InstanceActions({ instance, as }: InstanceActionsProps) {
  const { may } = useSession();
  const [asking, setAsking] = useState<Asking>();
  const restart = useChange<undefined, unknown>((client) => act(client, "restart", instance.id), touchedByAction);
  if (!may("rent")) return null;
  // A restart loses nothing, so nothing is asked before it.
  const choose = (chosen: Action) =>
    chosen === "restart" ? restart.mutate(undefined, { onError: notRestarted }) : setAsking(chosen);
  const close = () => setAsking(undefined);
  return (
    <>
      {as === "buttons" &&
        actionsFor(instance.status).map((action) => (
          <Button
            key={action}
            variant={action === "terminate" ? "light" : "default"}
            {...(action === "terminate" ? { color: "red" } : {})}
            leftSection={<Icon name={actionIcons[action]} />}
            loading={action === "restart" && restart.isPending}
            onClick={() => choose(action)}
          >
            {actionTitles[action]}
          </Button>
        ))}
      {as === "menu" ? (
        <RowMenu label={`Actions for ${nameShown(instance)}`} width={170}>
          <ActionItems instance={instance} onChoose={choose} />
          {actionsFor(instance.status).length > 0 && <Menu.Divider />}
          <MoreItems instance={instance} ask={setAsking} />
        </RowMenu>
      ) : (
        <Menu width={170} position="bottom-end">
          <Menu.Target>
            <ActionIcon aria-label="More actions" size={36} variant="default">
              <Icon name="dots" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <MoreItems instance={instance} ask={setAsking} />
          </Menu.Dropdown>
        </Menu>
      )}
      {asking === "rename" && <RenameDialog instance={instance} onClose={close} />}
      {asking === "tags" && <TagsDialog instance={instance} onClose={close} />}
      {asking === "idle" && <IdleDialog instance={instance} onClose={close} />}
      {asking === "fault" && <ReportFaultDialog instance={instance} onClose={close} />}
      {asking !== undefined && !isOwnDialog(asking) && (
        <OwnActionDialog action={asking} instances={[instance]} onClose={close} />
      )}
    </>
  );
}

interface MoreItemsProps {
  readonly instance: Instance;
  readonly ask: (asking: Asking) => void;
}

/** What changes nothing of the machine. */
function MoreItems({ instance, ask }: MoreItemsProps) {
  return (
    <>
      {!hasEnded(instance) && (
        <>
          <Menu.Item leftSection={<Icon name="edit" />} onClick={() => ask("rename")}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="tag" />} onClick={() => ask("tags")}>
            Edit tags
          </Menu.Item>
          {instance.metrics && instance.instance_type.gpus > 0 && (
            <Menu.Item leftSection={<Icon name="chart" />} onClick={() => ask("idle")}>
              Idle rule
            </Menu.Item>
          )}
          {instance.instance_type.gpus > 0 && instance.active_at !== null && (
            <Menu.Item leftSection={<Icon name="warning" />} onClick={() => ask("fault")}>
              Report a faulty GPU
            </Menu.Item>
          )}
        </>
      )}
      <Menu.Item leftSection={<Icon name="plus" />} component={Link} href={launchAgainPath(instance.id)}>
        Launch again
      </Menu.Item>
    </>
  );
}

function notRestarted(error: Error): void {
  notifications.show({ color: "red", title: "Not restarted", message: rejection(error), autoClose: 10_000 });
}

interface OwnActionBarProps {
  readonly chosen: readonly Instance[];
  /** Clears the selection. */
  readonly onClear: () => void;
}

/** For all that are chosen in the list. Nothing where none is. */
export function OwnActionBar({ chosen, onClear }: OwnActionBarProps) {
  const [asking, setAsking] = useState<Action>();
  return (
    <>
      <SelectionBar chosen={chosen} onAction={setAsking} onClear={onClear} />
      {asking !== undefined && (
        <OwnActionDialog
          action={asking}
          instances={able(chosen, asking)}
          onClose={() => setAsking(undefined)}
          onDone={onClear}
        />
      )}
    </>
  );
}

interface OwnActionDialogProps {
  readonly action: Action;
  readonly instances: readonly Instance[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

function OwnActionDialog({ action, instances, onClose, onDone }: OwnActionDialogProps) {
  return (
    <ActionDialog action={action} instances={instances} onClose={onClose} onDone={onDone}>
      {(left) => <Loss action={action} instances={left} />}
    </ActionDialog>
  );
}
