import { adminRole, rootRole } from '../../lib/session.js';
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

/** The side bar for a role. A hidden entry is absent, not disabled; a group without entries is absent too. */
export const navigationFor = (role: number, status: SiteStatus): readonly NavigationGroup[] =>
  sideBarGroups
    .map((name) => ({ name, entries: screens.flatMap((screen) => entriesOf(screen, name, role, status)) }))
    .filter(({ entries }) => entries.length > 0);

function entriesOf(
  screen: ScreenEntry,
  group: SideBarEntry['group'],
  role: number,
  status: SiteStatus,
): readonly NavigationEntry[] {
  const { sideBar, access, paths } = screen;
  if (sideBar?.group !== group) return [];
  if (role < rootRole && access === 'root') return [];
  if (role < adminRole && (access === 'admin' || sideBar.adminsOnly)) return [];
  if (sideBar.needs && !status[sideBar.needs]) return [];
  const entry = { ...sideBar, path: paths[0], screen };
  if (sideBar.label !== 'chat') return [entry];
  const children = (status.chatLinks ?? []).map(({ name }, index) => ({ path: `/chat/${index}`, name }));
  return children.length > 0 ? [{ ...entry, children }] : [];
}
