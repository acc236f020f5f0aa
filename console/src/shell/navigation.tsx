// The navigation: pages by section, documentation, the account, the appearance, and signing out.

import { Menu, useMantineColorScheme } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { type StreamState, useStreamState } from "../api/event-stream.tsx";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type ConsolePage, pages } from "../pages.ts";
import { Icon } from "../shared/icon.tsx";
import { DocumentationLinks } from "./documentation-links.tsx";
import classes from "./layout.module.css";
import { Wordmark } from "./wordmark.tsx";

export function Navigation({ onSearch }: { readonly onSearch: () => void }) {
  const { scopes, simulated } = useSession();
  const [location] = useLocation();
  const shown = pages.filter(({ navigation, scope }) => navigation && (scope === undefined || scopes.includes(scope)));
  const sections = Map.groupBy(shown, ({ navigation }) => navigation?.section ?? "");
  const all = useRef<HTMLElement>(null);
  useEffect(() => {
    // Keeps the current page in view in a long navigation.
    if (location !== "") all.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [location]);
  return (
    <nav className={classes.navigation} aria-label="Console" ref={all}>
      <div className={classes.home}>
        <Wordmark />
      </div>
      <button type="button" className={classes.search} onClick={onSearch}>
        <Icon name="search" size={14} />
        Search
        <kbd>Ctrl K</kbd>
      </button>
      {[...sections].map(([section, inSection]) => (
        <Section key={section} title={section} pages={inSection} location={location} />
      ))}
      <div className={classes.foot}>
        {simulated && (
          <p className={classes.simulated}>
            <Icon name="flask" />
            Instances are simulated: they boot, are billed and end, but compute nothing.
          </p>
        )}
        <DocumentationLinks />
        <AccountMenu />
      </div>
    </nav>
  );
}

function Section(props: { readonly title: string; readonly pages: readonly ConsolePage[]; readonly location: string }) {
  return (
    <section aria-label={props.title === "" ? "Instances" : props.title}>
      {props.title !== "" && <h2 className={classes.section}>{props.title}</h2>}
      <ul className={classes.links}>
        {props.pages.map(({ path, title, navigation }) => (
          <li key={path}>
            <Link
              href={path}
              className={classes.link ?? ""}
              aria-current={props.location === path || props.location.startsWith(`${path}/`) ? "page" : undefined}
            >
              {navigation && <Icon name={navigation.icon} />}
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const stateWords: Readonly<Record<StreamState, string>> = {
  connecting: "Connecting",
  live: "Connected",
  lost: "Connection lost",
};

const appearances = [
  { value: "auto", title: "As the system" },
  { value: "light", title: "Light" },
  { value: "dark", title: "Dark" },
] as const;

function AccountMenu() {
  const { account, isOperator, leave } = useSession();
  const [opened, setOpened] = useState(false);
  const state = useStreamState();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = () =>
    leave().catch((error: Error) =>
      notifications.show({ color: "red", title: "Not signed out", message: error.message }),
    );
  return (
    <Menu position="top-start" width={208} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <button type="button" className={classes.account}>
          <span className={classes.who}>
            <span>
              <span className="hidden">Account </span>
              {account.name}
            </span>
            <span className="soft">{isOperator && state === "live" ? "Operator" : stateWords[state]}</span>
          </span>
          <span className={classes.dot} data-state={state} title={stateWords[state]} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {appearances.map(({ value, title }) => (
          <Menu.Item
            key={value}
            onClick={() => setColorScheme(value)}
            rightSection={colorScheme === value ? <Icon name="check" /> : undefined}
            aria-label={`Appearance: ${title}${colorScheme === value ? ", chosen" : ""}`}
          >
            {title}
          </Menu.Item>
        ))}
        <Teams enabled={opened && account.person !== null} />
        <Menu.Divider />
        <Menu.Item component={Link} href="/sessions">
          Sessions
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()} leftSection={<Icon name="leave" />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The teams that the session can act in, if there are several. */
function Teams({ enabled }: { readonly enabled: boolean }) {
  const { account, reload } = useSession();
  const { data } = useRead(["teams"], (client) => client.GET("/teams"), { enabled });
  const change = useChange<string, unknown>(
    (client, id) => client.POST("/sessions/switch", { body: { team: id } }),
    [],
  );
  const teams = data?.data ?? [];
  if (teams.length < 2) return null;
  const choose = (id: string) =>
    change.mutate(id, {
      onSuccess: () => void reload(),
      onError: (error) => notifications.show({ color: "red", title: "Not switched", message: error.message }),
    });
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Teams</Menu.Label>
      {teams.map(({ id, name }) => (
        <Menu.Item
          key={id}
          disabled={id === account.id}
          onClick={() => choose(id)}
          rightSection={id === account.id ? <Icon name="check" /> : undefined}
          aria-label={`Team: ${name}${id === account.id ? ", chosen" : ""}`}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  );
}
