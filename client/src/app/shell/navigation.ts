import { may } from '../../lib/permissions.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import type { SiteStatus } from '../../lib/site-status.js';
import { screens, sideBarGroups, type ScreenEntry, type SideBarGroup, type SideBarLabel } from '../screens.js';

export interface NavigationEntry {
  readonly label: SideBarLabel;
  readonly path: string;
  readonly screen: ScreenEntry;
  /** Entries of a submenu, with names from the site's settings. */
  readonly children?: readonly { readonly path: string; readonly name: string }[];
}

export interface NavigationGroup {
  readonly name: SideBarGroup;
  readonly entries: readonly NavigationEntry[];
}

const groups = Object.entries(sideBarGroups) as [SideBarGroup, readonly SideBarLabel[]][];

/** The side bar for a user. A hidden entry is absent, not disabled; a group without entries is absent too. */
export const navigationFor = (user: SessionUser | null, status: SiteStatus): readonly NavigationGroup[] =>
  groups
    .map(([name, labels]) => ({ name, entries: labels.flatMap((label) => entriesOf(label, user, status)) }))
    .filter(({ entries }) => entries.length > 0);

function entriesOf(label: SideBarLabel, user: SessionUser | null, status: SiteStatus): readonly NavigationEntry[] {
  const screen = screens.find(({ sideBar }) => sideBar === label);
  if (!screen) return [];
  const { permission, shownTo, needs, paths } = screen;
  const needed = permission ?? (shownTo && [shownTo]);
  if (needed && !may(user, ...needed)) return [];
  if (needs && !status[needs]) return [];
  const entry = { label, path: paths[0], screen };
  if (label !== 'chat') return [entry];
  const children = (status.chatLinks ?? []).map(({ name }, index) => ({ path: `/chat/${index}`, name }));
  return children.length > 0 ? [{ ...entry, children }] : [];
}
