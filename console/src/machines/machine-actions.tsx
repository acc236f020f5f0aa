// Stop, restart and terminate: a menu in lists, buttons on a machine's own page, and the question before what destroys.

import { ActionIcon, Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { LessorError, type Shape } from "../../../src/client/index.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon, type IconName } from "../shared/icon.tsx";
import { type Wish, wishesFor } from "./wishes.ts";

type Instance = Shape<"Instance">;

const words: Readonly<Record<Wish, { readonly title: string; readonly icon: IconName }>> = {
  stop: { title: "Stop", icon: "stop" },
  restart: { title: "Restart", icon: "restart" },
  terminate: { title: "Terminate", icon: "trash" },
};

/** What changes with a machine. */
const subjects = ["instances", "account", "offers"];

function useWish(machine: Instance) {
  return useChange<Wish, unknown>((client, wish) => {
    const params = { path: { id: machine.id } };
    if (wish === "stop") return client.POST("/instances/{id}/stop", { params });
    if (wish === "restart") return client.POST("/instances/{id}/restart", { params });
    return client.POST("/instances/{id}/terminate", { params });
  }, subjects);
}

function refused(error: Error): void {
  const message =
    error instanceof LessorError ? `${error.message} ${error.suggestion}` : "The service does not answer.";
  notifications.show({ color: "red", title: "Nothing was done", message, autoClose: 10_000 });
}

interface ActionsProps {
  readonly machine: Instance;
  readonly as: "menu" | "buttons";
}

export function MachineActions({ machine, as }: ActionsProps) {
  const { mayWrite } = useSession();
  const [asking, setAsking] = useState<"stop" | "terminate" | undefined>();
  const wish = useWish(machine);
  const offered = mayWrite ? wishesFor(machine.status) : [];
  const choose = (chosen: Wish) => {
    if (chosen === "restart") wish.mutate(chosen, { onError: refused });
    else {
      wish.reset();
      setAsking(chosen);
    }
  };
  const close = () => setAsking(undefined);
  const confirm = (chosen: Wish) => wish.mutate(chosen, { onSuccess: close });

  return (
    <>
      {as === "menu" && offered.length > 0 && (
        <Menu width={160}>
          <Menu.Target>
            <ActionIcon aria-label={`Actions for ${machine.name}`}>
              <Icon name="dots" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {offered.map((one) => (
              <Menu.Item
                key={one}
                leftSection={<Icon name={words[one].icon} />}
                {...(one === "terminate" ? { color: "red" } : {})}
                onClick={() => choose(one)}
              >
                {words[one].title}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {as === "buttons" &&
        offered.map((one) => (
          <Button
            key={one}
            variant={one === "terminate" ? "light" : "default"}
            {...(one === "terminate" ? { color: "red" } : {})}
            leftSection={<Icon name={words[one].icon} />}
            loading={wish.isPending && wish.variables === one && asking === undefined}
            onClick={() => choose(one)}
          >
            {words[one].title}
          </Button>
        ))}
      <ConfirmTyped
        opened={asking === "stop"}
        onClose={close}
        title={`Stop ${machine.name}?`}
        action="Stop"
        onConfirm={() => confirm("stop")}
        pending={wish.isPending}
        error={wish.error}
      >
        <p>
          It is shut down. Its disk, its address and its GPUs are kept for you, so{" "}
          <strong>it goes on being billed</strong> until it is terminated. You can restart it at any time.
        </p>
      </ConfirmTyped>
      <ConfirmTyped
        opened={asking === "terminate"}
        onClose={close}
        title={`Terminate ${machine.name}?`}
        word={machine.name}
        action="Terminate"
        onConfirm={() => confirm("terminate")}
        pending={wish.isPending}
        error={wish.error}
      >
        <Loss machine={machine} />
      </ConfirmTyped>
    </>
  );
}

/** What goes and what stays. */
function Loss({ machine }: { readonly machine: Instance }) {
  const { instance_type, ip, file_system_names } = machine;
  return (
    <>
      <p>
        The machine is removed for good.{" "}
        <strong>Lost: its disk of {formatNumber(instance_type.storage_gb)} GB with everything on it</strong>
        {ip !== null && (
          <>
            , and its address <code>{ip}</code>
          </>
        )}
        .
      </p>
      <p>
        {file_system_names.length > 0
          ? `Kept: ${file_system_names.length === 1 ? "the file system" : "the file systems"} ${file_system_names.join(", ")}, and what is on ${file_system_names.length === 1 ? "it" : "them"}. `
          : ""}
        Billing ends at once.
      </p>
    </>
  );
}
