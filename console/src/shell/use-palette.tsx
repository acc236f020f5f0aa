// Opening the palette from anywhere, with Ctrl-K or a button, although its code is loaded only then.

import { useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { type ComponentType, type ReactNode, useCallback, useState } from "react";

type PaletteComponent = ComponentType<{ readonly openings: number }>;

/** `open`: opens it; `palette`: to be rendered once. */
export function usePalette(): { readonly open: () => void; readonly palette: ReactNode } {
  const [Palette, setPalette] = useState<PaletteComponent>();
  const [openings, setOpenings] = useState(0);
  const open = useCallback(() => {
    setOpenings((former) => former + 1);
    import("./palette.tsx").then(
      (loaded) => setPalette(() => loaded.Palette),
      () => notifications.show({ color: "red", title: "Search can't be loaded", message: "Check your connection." }),
    );
  }, []);
  // Not in text areas: the terminal is one, and there the key is the shell's.
  useHotkeys([["mod+K", open]], ["TEXTAREA"]);
  return { open, palette: Palette !== undefined && <Palette openings={openings} /> };
}
