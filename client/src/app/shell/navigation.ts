import { may } from '../../lib/permissions.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import type { SiteStatus } from '../../lib/site-status.js';
import { screens, sideBarGroups, type ScreenEntry, type SideBarEntry } from '../screens.js';

export interface NavigationEntry extends SideBarEntry {
  readonly path: string;
  readonly screen: ScreenEntry;
  /** Entries of a submenu, with names from the site's settings. */
  readonly children?: readonly { readonly path: string; readonly name: string }[];
}

export interface NavigationGroup {
  readonly name: SideBarEntry['group'];
  readonly entries: readonly NavigationEntry[];
}

/** The side bar for a user. A hidden entry is absent, not disabled; a group without entries is absent too. */
export const navigationFor = (user: SessionUser | null, status: SiteStatus): readonly NavigationGroup[] =>
  sideBarGroups
    .map((name) => ({ name, entries: screens.flatMap((screen) => entriesOf(screen, name, user, status)) }))
    .filter(({ entries }) => entries.length > 0);

function entriesOf(
  screen: ScreenEntry,
  group: SideBarEntry['group'],
  user: SessionUser | null,
  status: SiteStatus,
): readonly NavigationEntry[] {
  const { sideBar, permission, paths } = screen;
  if (sideBar?.group !== group) return [];
  const needed = permission ?? (sideBar.shownTo && [sideBar.shownTo]);
  if (needed && !may(user, ...needed)) return [];
  if (sideBar.needs && !status[sideBar.needs]) return [];
  const entry = { ...sideBar, path: paths[0], screen };
  if (sideBar.label !== 'chat') return [entry];
  const children = (status.chatLinks ?? []).map(({ name }, index) => ({ path: `/chat/${index}`, name }));
  return children.length > 0 ? [{ ...entry, children }] : [];
}
