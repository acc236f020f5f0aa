// The cells of a host as a picture, and one cell as a sign beside a label. Decoration: their callers say the same in words.

import { memo } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { type Drawing, drawCells, drawHost } from "./cell-paths.ts";
import classes from "./cells.module.css";
import type { CellState } from "./cells.ts";

/** Redrawn only when the host changes: equal responses keep their objects. */
export const HostCells = memo(({ host }: { readonly host: Shape<"Host"> }) => <Drawn drawing={drawHost(host)} />);

export function CellSign({ state }: { readonly state: CellState }) {
  return <Drawn drawing={drawCells([state])} />;
}

function Drawn({ drawing: { width, height, paths } }: { readonly drawing: Drawing }) {
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} className={classes.cells} aria-hidden="true">
      {paths.map(({ state, outline }) => (
        <path key={state} d={outline} className={classes[state]} fillRule="evenodd" />
      ))}
    </svg>
  );
}
