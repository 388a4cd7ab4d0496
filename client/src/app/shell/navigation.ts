import type { SvgIconComponent } from '@mui/icons-material';
import GroupOutlinedIcon from '@mui/icons-material/GroupOutlined';
import HubOutlinedIcon from '@mui/icons-material/HubOutlined';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import SettingsOutlinedIcon from '@mui/icons-material/SettingsOutlined';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import { adminRole } from '../../lib/session.js';
import { screens, type LazyScreen } from '../routes.js';

export interface NavigationEntry {
  readonly path: string;
  readonly label: 'shell.tokens' | 'shell.logs' | 'shell.channels' | 'shell.users' | 'shell.settings';
  readonly Icon: SvgIconComponent;
  readonly screen: LazyScreen;
  /** Lowest role that sees it; a hidden entry is hidden, not locked. */
  readonly role: number;
}

export interface NavigationGroup {
  readonly label: 'shell.groupConsole' | 'shell.groupAdmin';
  readonly entries: readonly NavigationEntry[];
}

const groups: readonly NavigationGroup[] = [
  {
    label: 'shell.groupConsole',
    entries: [
      { path: '/token', label: 'shell.tokens', Icon: VpnKeyOutlinedIcon, screen: screens.tokens, role: 1 },
      { path: '/log', label: 'shell.logs', Icon: ReceiptLongOutlinedIcon, screen: screens.logs, role: adminRole },
    ],
  },
  {
    label: 'shell.groupAdmin',
    entries: [
      { path: '/channel', label: 'shell.channels', Icon: HubOutlinedIcon, screen: screens.channels, role: adminRole },
      { path: '/user', label: 'shell.users', Icon: GroupOutlinedIcon, screen: screens.users, role: adminRole },
      {
        path: '/setting',
        label: 'shell.settings',
        Icon: SettingsOutlinedIcon,
        screen: screens.settings,
        role: adminRole,
      },
    ],
  },
];

/** The side bar of a role: groups without entries fall away. */
export const navigationFor = (role: number): readonly NavigationGroup[] =>
  groups
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => role >= entry.role) }))
    .filter((group) => group.entries.length > 0);
