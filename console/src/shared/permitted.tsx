// What only some may do: the buttons for it, or the reason why they are missing. A button that is gone without a word looks
// like a defect to whom a colleague told of it. Used by pages whose actions need a right (api/rights.ts).

import type { ReactNode } from "react";

interface PermittedProps {
  /** Completes "You can't …": "create vouchers". */
  readonly to: string;
  /** The right that is missing, as `lack` words it; undefined: none is. */
  readonly missing: string | undefined;
  readonly children: ReactNode;
}

export function Permitted({ to, missing, children }: PermittedProps) {
  if (missing === undefined) return children;
  return (
    <span className="soft">
      You can't {to}. {missing}
    </span>
  );
}
