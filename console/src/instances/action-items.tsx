// The actions that an instance's state allows, as items of a menu. Used by the menus of customers and of operators.

import { Menu } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { Icon } from "../shared/icon.tsx";
import { actionIcons, actionsFor, actionTitles } from "./action-words.ts";

interface ActionItemsProps {
  readonly instance: Pick<Shape<"Instance">, "status">;
  readonly onChoose: (action: Action) => void;
}

export function ActionItems({ instance, onChoose }: ActionItemsProps) {
  return actionsFor(instance.status).map((action) => (
    <Menu.Item
      key={action}
      leftSection={<Icon name={actionIcons[action]} />}
      {...(action === "terminate" ? { color: "red" } : {})}
      onClick={() => onChoose(action)}
    >
      {actionTitles[action]}
    </Menu.Item>
  ));
}
