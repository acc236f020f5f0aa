// How far an instance's move to another host is, and the button that begins one.

import { Button, Progress } from "@mantine/core";
import { useState } from "react";
import { isMovable } from "../../../../src/rules/lifecycle.ts";
import { moveTraits } from "../../../../src/rules/moves.ts";
import { useSession } from "../../api/session-context.tsx";
import { Icon } from "../../shared/icon.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import type { Instance } from "./instance-columns.tsx";
import { MoveDialog } from "./move-dialog.tsx";

/** Milliseconds between two looks at a copy: its progress has no events. */
const copyMilliseconds = 2_000;

/** Until the instance is read again; false: events say when. */
export function moveAgain(instance: Instance | undefined): number | false {
  return instance?.move && moveTraits[instance.move.phase].work !== null ? copyMilliseconds : false;
}

/** Nothing for an instance that cannot be moved now. */
export function MoveButton({ instance }: { readonly instance: Instance }) {
  const [asking, setAsking] = useState(false);
  const missing = useSession().lack("fleet", "operator");
  const { status, move } = instance;
  if (!isMovable[status] || (move && moveTraits[move.phase].holdsBoth)) return null;
  return (
    <Permitted to="move instances" missing={missing}>
      <Button variant="default" leftSection={<Icon name="right" />} onClick={() => setAsking(true)}>
        Move
      </Button>
      {asking && <MoveDialog instance={instance} onClose={() => setAsking(false)} />}
    </Permitted>
  );
}

/** From where to where, and what happens now. */
export function MoveState({ move }: { readonly move: NonNullable<Instance["move"]> }) {
  const { from, to, phase, failure, copied_bytes: copied, total_bytes: total } = move;
  const percent = total === 0 ? 0 : Math.floor((copied / total) * 100);
  return (
    <>
      {from} to {to}, since <Time at={move.began_at} />
      {move.reason !== null && `: ${move.reason}`}. {moveTraits[phase].meaning}
      {failure !== null && (
        <>
          {" "}
          {failure.message} <code>{failure.code}</code>
        </>
      )}
      {moveTraits[phase].work === "copy" && (
        <>
          {" "}
          <span className="soft">{percent} % copied</span>
          <Progress value={percent} aria-label="Copied" mt={6} />
        </>
      )}
    </>
  );
}
