// A secret that can be copied without being shown, and shown on demand.

import { Button } from "@mantine/core";
import { useState } from "react";
import { Copyable } from "./copyable.tsx";

interface ConcealedProps {
  readonly value: string;
  /** The name of the secret: "password". */
  readonly label: string;
}

export function Concealed({ value, label }: ConcealedProps) {
  const [revealed, setRevealed] = useState(false);
  return (
    <>
      {revealed ? <Copyable value={value} label={label} /> : <Copyable value={value} label={label} concealed />}{" "}
      <Button size="compact-xs" variant="default" onClick={() => setRevealed(!revealed)}>
        {revealed ? "Hide" : "Reveal"}
        <span className="hidden"> {label}</span>
      </Button>
    </>
  );
}
