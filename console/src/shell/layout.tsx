// The frame of every page: navigation at the left, a bar with a menu on narrow screens, and a notice while the connection
// is down.

import { ActionIcon, Drawer } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useStreamState } from "../api/event-stream.tsx";
import { useSession } from "../api/session-context.tsx";
import { Icon } from "../shared/icon.tsx";
import classes from "./layout.module.css";
import { Navigation } from "./navigation.tsx";
import { Wordmark } from "./wordmark.tsx";

export function Layout({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [location] = useLocation();
  const { simulated } = useSession();
  const { open: search, palette } = usePalette();
  useEffect(() => {
    // Navigation closes the menu.
    if (location !== "") setOpen(false);
  }, [location]);

  return (
    <div className={classes.frame}>
      <a href="#main" className={classes.skip}>
        Skip to main content
      </a>
      <section className={classes.bar} aria-label="Top">
        <ActionIcon aria-label="Open navigation" aria-expanded={open} onClick={() => setOpen(true)} size="lg">
          <Icon name="menu" />
        </ActionIcon>
        <Wordmark />
        {simulated && <span className={classes.simulatedWord}>Simulated</span>}
      </section>
      <aside className={classes.side}>
        <Navigation onSearch={search} />
      </aside>
      <Drawer
        opened={open}
        onClose={() => setOpen(false)}
        size={272}
        padding={0}
        withCloseButton={false}
        title="Navigation"
        classNames={{ header: "hidden", body: classes.drawer ?? "" }}
      >
        <Navigation onSearch={search} />
      </Drawer>
      {palette}
      <main id="main" className={classes.main} tabIndex={-1}>
        <Notices />
        {children}
      </main>
    </div>
  );
}

/** Notices about the whole page. */
function Notices() {
  const lost = useStreamState() === "lost";
  return (
    <div role="status" aria-live="polite">
      {lost && (
        <p className={classes.lost}>
          <Icon name="offline" />
          <span>
            <strong>Connection lost.</strong> This page might be out of date. It updates when the connection is back.
          </span>
        </p>
      )}
    </div>
  );
}

type PaletteComponent = ComponentType<{ readonly openings: number }>;

/** `open`: opens it; `palette`: to be rendered once. */
function usePalette(): { readonly open: () => void; readonly palette: ReactNode } {
  const [Palette, setPalette] = useState<PaletteComponent>();
  const [openings, setOpenings] = useState(0);
  const open = useCallback(() => {
    setOpenings((former) => former + 1);
    import("./palette.tsx").then(
      (loaded) => setPalette(() => loaded.Palette),
      () => notifications.show({ color: "red", title: "Search can't be loaded", message: "Check your connection." }),
    );
  }, []);
  // Not in text areas: the terminal is one, and the shell uses the key.
  useHotkeys([["mod+K", open]], ["TEXTAREA"]);
  return { open, palette: Palette !== undefined && <Palette openings={openings} /> };
}
