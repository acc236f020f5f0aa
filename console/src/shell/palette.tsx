// The palette: every page, action and instance by a part of its name. Loaded when it is first opened.

import "@mantine/spotlight/styles.css";
import { useMantineColorScheme } from "@mantine/core";
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useSession } from "../api/session-context.tsx";
import { hasEnded } from "../instances/live-cost.ts";
import { stateWords } from "../instances/state-labels.ts";
import { tagText } from "../instances/tag-lines.ts";
import { useAllInstances, useInstances } from "../instances/use-instances.ts";
import { pages } from "../pages.ts";
import { Icon, type IconName } from "../shared/icon.tsx";
import { typeTitle } from "../shared/names.tsx";
import { nameShown } from "../shared/readable-name.ts";
import classes from "./palette.module.css";

const [store, palette] = createSpotlight();

/** At most this many matches are shown. */
const most = 12;

const icon = (name: IconName) => <Icon name={name} />;

/** Opens each time `openings` grows. */
export function Palette({ openings }: { readonly openings: number }) {
  const groups = useGroups();
  useEffect(() => {
    if (openings > 0) palette.open();
  }, [openings]);
  return (
    <Spotlight
      store={store}
      // The accessible name.
      title="Search"
      classNames={{ header: "hidden", actionDescription: classes.description ?? "" }}
      actions={groups}
      // The frame opens it: the shortcut works before this code is loaded.
      shortcut={null}
      limit={most}
      scrollable
      maxHeight={420}
      nothingFound="No results"
      searchProps={{
        placeholder: "Search pages, actions and instances",
        "aria-label": "Search pages, actions and instances",
        leftSection: icon("search"),
      }}
    />
  );
}

function useGroups(): SpotlightActionGroupData[] {
  const { scopes, may, isOperator, leave } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const [, navigate] = useLocation();
  const own = useInstances().data?.data ?? [];
  const all = useAllInstances({ enabled: isOperator }).data?.data;
  const instances = (isOperator ? (all ?? []) : own).filter((instance) => !hasEnded(instance));
  const shown = pages.filter(({ navigation, scope }) => navigation && (scope === undefined || scopes.includes(scope)));
  return [
    {
      group: "Actions",
      actions: [
        ...(may("rent")
          ? [
              {
                id: "launch",
                label: "Launch instance",
                keywords: ["rent", "new", "create"],
                leftSection: icon("plus"),
                onClick: () => navigate("/launch"),
              },
            ]
          : []),
        ...(["light", "dark", "auto"] as const).map((scheme) => ({
          id: `appearance-${scheme}`,
          label: `Appearance: ${scheme === "auto" ? "as the system" : scheme}`,
          keywords: ["theme", "color"],
          leftSection: icon("edit"),
          onClick: () => setColorScheme(scheme),
        })),
        { id: "sign-out", label: "Sign out", leftSection: icon("leave"), onClick: () => void leave() },
      ],
    },
    {
      group: "Pages",
      actions: shown.map(({ path, title, navigation }) => ({
        id: `page-${path}`,
        label: title,
        keywords: [navigation?.section ?? ""],
        leftSection: icon(navigation?.icon ?? "right"),
        onClick: () => navigate(path),
      })),
    },
    {
      group: "Instances",
      actions: instances.map((instance) => ({
        id: instance.id,
        label: nameShown(instance),
        description: `${stateWords[instance.status].title}, ${typeTitle(instance.instance_type)}, ${instance.region.name}`,
        keywords: [instance.id, instance.hostname, instance.ip ?? "", ...instance.tags.map(tagText)],
        leftSection: icon("instance"),
        onClick: () => navigate(`${isOperator ? "/operator" : ""}/instances/${instance.id}`),
      })),
    },
  ];
}
