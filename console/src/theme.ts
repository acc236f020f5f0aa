// The look of the console: one accent, cool grays, tabular numbers. theme-css.ts derives the CSS variables, app.tsx
// configures Mantine. Each text has a contrast of 4.5:1 on each surface.

import {
  type ActionIconProps,
  type AlertProps,
  type AnchorProps,
  type BadgeProps,
  type ButtonProps,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type InputProps,
  type InputWrapperProps,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  type SegmentedControlProps,
  type SkeletonProps,
  type TooltipProps,
} from "@mantine/core";

const cobalt: MantineColorsTuple = [
  "#eef3ff",
  "#dde7ff",
  "#bccfff",
  "#97b4fd",
  "#7697f4",
  "#5a7de8",
  "#3f63d6",
  "#3153c0",
  "#2746a6",
  "#1d3787",
];
const gray: MantineColorsTuple = [
  "#f7f8fa",
  "#f0f2f5",
  "#e4e7ec",
  "#d3d8df",
  "#b3bac5",
  "#8a93a2",
  "#596273",
  "#434b5a",
  "#2a313d",
  "#161b24",
];
/** From text to the ground of the page. */
const dark: MantineColorsTuple = [
  "#dfe3ea",
  "#b9c0cc",
  "#98a1b0",
  "#5e6776",
  "#3b4350",
  "#2b323d",
  "#1d232c",
  "#161b22",
  "#11151b",
  "#0c0f14",
];
const green: MantineColorsTuple = [
  "#e9f8f0",
  "#d2f0e0",
  "#a3e0c1",
  "#72cfa1",
  "#4cc088",
  "#2fa870",
  "#1a875a",
  "#147049",
  "#10603f",
  "#0b4a30",
];
const amber: MantineColorsTuple = [
  "#fff6e3",
  "#fdebc4",
  "#fbd78b",
  "#f5c158",
  "#e8ab36",
  "#c98b1c",
  "#a26b0c",
  "#855608",
  "#704806",
  "#573704",
];
const red: MantineColorsTuple = [
  "#fff0ef",
  "#ffdfdd",
  "#fdbfbb",
  "#f89a94",
  "#ef7a72",
  "#df5a52",
  "#c93f38",
  "#ac302a",
  "#932721",
  "#751c18",
];

export const theme = createTheme({
  primaryColor: "cobalt",
  primaryShade: { light: 7, dark: 6 },
  colors: { cobalt, gray, dark, green, amber, red, yellow: amber },
  black: "#161b24",
  autoContrast: false,
  defaultRadius: "md",
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "16px" },
  fontFamily:
    'Inter, "SF Pro Text", -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "JetBrains Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "22px", lineHeight: "1.3" },
      h2: { fontSize: "16px", lineHeight: "1.4" },
      h3: { fontSize: "14px", lineHeight: "1.4" },
    },
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  // By name and type alone, without the components themselves: the sign-in page has few of them, and loads no other.
  // Locking the scroll of the page would write a <style>, which the Content-Security-Policy blocks.
  components: {
    Modal: defaults<ModalProps>({ lockScroll: false, centered: true, radius: "lg", padding: "lg" }),
    Drawer: defaults<DrawerProps>({ lockScroll: false }),
    Button: defaults<ButtonProps>({ size: "sm" }),
    ActionIcon: defaults<ActionIconProps>({ variant: "subtle", color: "gray", size: "md" }),
    Badge: {
      ...defaults<BadgeProps>({ variant: "light", radius: "sm" }),
      // Short words: a table must not cut them off.
      styles: { root: { textTransform: "none", minWidth: "max-content" } },
    },
    Alert: defaults<AlertProps>({ variant: "light" }),
    Anchor: defaults<AnchorProps>({ underline: "always" }),
    Notification: defaults<NotificationProps>({ closeButtonProps: { "aria-label": "Close" } }),
    Input: defaults<InputProps>({ size: "sm" }),
    InputWrapper: defaults<InputWrapperProps>({
      size: "sm",
      inputWrapperOrder: ["label", "description", "input", "error"],
    }),
    Menu: defaults<MenuProps>({ position: "bottom-end", shadow: "md" }),
    SegmentedControl: { ...defaults<SegmentedControlProps>({ size: "sm" }), styles: { label: { fontWeight: 500 } } },
    Skeleton: defaults<SkeletonProps>({ radius: "sm" }),
    Tooltip: defaults<TooltipProps>({ withArrow: false, openDelay: 300 }),
  },
});

function defaults<Props>(defaultProps: Partial<Props>): { readonly defaultProps: Partial<Props> } {
  return { defaultProps };
}

/** The console's own variables beside Mantine's: surfaces, lines and the colors of states, in light and dark. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { "--side-width": "232px" },
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": gray[6],
    "--mantine-color-placeholder": "#6b7484",
    "--ground": gray[0],
    "--surface": "#ffffff",
    "--surface-raised": "#ffffff",
    "--hover": gray[1],
    "--line": gray[2],
    "--line-strong": gray[3],
    "--ink": gray[9],
    "--ink-soft": gray[6],
    "--accent": cobalt[7],
    "--accent-soft": cobalt[0],
    "--good": green[7],
    "--warn": amber[7],
    "--bad": red[7],
    "--idle": gray[5],
    "--mantine-color-error": red[7],
    "--mantine-color-anchor": cobalt[7],
    "--mantine-color-green-light-color": green[8],
    "--mantine-color-amber-light-color": amber[8],
    "--mantine-color-red-light-color": red[8],
    "--mantine-color-cobalt-light-color": cobalt[8],
    "--mantine-color-gray-light-color": gray[7],
  },
  dark: {
    "--mantine-color-body": dark[7],
    "--mantine-color-dimmed": dark[2],
    "--mantine-color-placeholder": "#8b94a3",
    "--ground": dark[9],
    "--surface": dark[8],
    "--surface-raised": dark[7],
    "--hover": dark[6],
    "--line": "#232932",
    "--line-strong": "#343c48",
    "--ink": dark[0],
    "--ink-soft": dark[2],
    "--accent": cobalt[3],
    "--accent-soft": "#18223d",
    "--good": green[4],
    "--warn": amber[4],
    "--bad": red[4],
    "--idle": dark[3],
    "--mantine-color-error": red[4],
    "--mantine-color-anchor": cobalt[3],
    "--mantine-color-default": dark[7],
    "--mantine-color-default-hover": dark[6],
    "--mantine-color-default-border": "#343c48",
    "--mantine-color-green-light-color": green[3],
    "--mantine-color-amber-light-color": amber[3],
    "--mantine-color-red-light-color": red[3],
    "--mantine-color-cobalt-light-color": cobalt[2],
    "--mantine-color-gray-light": "#262d37",
    "--mantine-color-gray-light-color": dark[1],
  },
});
