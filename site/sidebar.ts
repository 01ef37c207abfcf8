import { GROUPS, groups } from "../conformance/report/report.ts";
import { GUIDES } from "./guides.ts";
import type { Page } from "./page.ts";

/** An entry of the sidebar: a link, or a group. */
export type SidebarItem =
  | { readonly label: string; readonly link: string }
  | { readonly label: string; readonly collapsed?: boolean; readonly items: SidebarItem[] };

/** The sidebar. Single requirements are not in it: their index has them. */
export function sidebarOf(pages: readonly Page[]): SidebarItem[] {
  const titles = new Map(pages.map(({ path, title, label = title }) => [path, label]));
  const entry = (path: string, label = titles.get(path) ?? path): SidebarItem => ({
    label,
    link: addressOf(path),
  });
  const entries = (folder: string) =>
    pages
      .filter(({ path }) => path.startsWith(`${folder}/`) && !path.endsWith("/index"))
      .map(({ path }) => entry(path));
  return [
    entry("index", "Overview"),
    {
      label: "Guides",
      items: [...GUIDES.map((name) => entry(`guides/${name}`)), entry("guides/typespec-library")],
    },
    {
      label: "Reference",
      items: [
        { label: "OpenAPI document", link: "/openapi/" },
        {
          label: "Operations",
          collapsed: true,
          items: entries("reference/operations"),
        },
        {
          label: "Events",
          collapsed: true,
          items: entries("reference/events"),
        },
        { label: "Resources", collapsed: true, items: entries("reference/resources") },
        {
          label: "Requirements",
          collapsed: true,
          items: groups.map((group) => ({
            label: `${group}: ${GROUPS[group]}`,
            link: `/reference/requirements/#${group.toLowerCase()}-${GROUPS[group].replaceAll(" ", "-").toLowerCase()}`,
          })),
        },
        {
          label: "Commands",
          collapsed: true,
          items: [
            entry("reference/commands/index", "All commands"),
            ...entries("reference/commands"),
          ],
        },
        entry("reference/control"),
        {
          label: "TypeScript API",
          collapsed: true,
          items: [entry("reference/api/index", "All exports"), ...entries("reference/api")],
        },
      ],
    },
    { label: "Examples", collapsed: true, items: entries("examples") },
    {
      label: "Project",
      collapsed: true,
      items: [...entries("project"), entry("decisions/index", "Decisions")],
    },
  ];
}

/** The address of a page below the base, such as `/guides/client/`. */
export function addressOf(path: string): string {
  const address = path.replace(/(^|\/)index$/, "$1");
  return address === "" || address.endsWith("/") ? `/${address}` : `/${address}/`;
}
