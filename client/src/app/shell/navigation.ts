import type { SvgIconComponent } from '@mui/icons-material';
import AccountBalanceWalletOutlinedIcon from '@mui/icons-material/AccountBalanceWalletOutlined';
import ConfirmationNumberOutlinedIcon from '@mui/icons-material/ConfirmationNumberOutlined';
import BrushOutlinedIcon from '@mui/icons-material/BrushOutlined';
import InsertChartOutlinedOutlinedIcon from '@mui/icons-material/InsertChartOutlinedOutlined';
import ChatBubbleOutlinedIcon from '@mui/icons-material/ChatBubbleOutlineOutlined';
import PersonOutlinedIcon from '@mui/icons-material/PersonOutlineOutlined';
import GroupOutlinedIcon from '@mui/icons-material/GroupOutlined';
import HubOutlinedIcon from '@mui/icons-material/HubOutlined';
import MovieOutlinedIcon from '@mui/icons-material/MovieOutlined';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import SettingsOutlinedIcon from '@mui/icons-material/SettingsOutlined';
import TerminalOutlinedIcon from '@mui/icons-material/TerminalOutlined';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import { adminRole } from '../../lib/session.js';
import type { SiteStatus } from '../../lib/site-status.js';
import { screens, type LazyScreen } from '../routes.js';

export interface NavigationEntry {
  readonly path: string;
  readonly label: `shell.${'playground' | 'chat' | 'dashboard' | 'tokens' | 'logs' | 'drawings' | 'tasks' | 'channels' | 'redemptions' | 'users' | 'settings' | 'wallet' | 'personal'}`;
  readonly Icon: SvgIconComponent;
  readonly screen: LazyScreen;
  /** Lowest role that sees it; a hidden entry is hidden, not locked. */
  readonly role: number;
  /** Only while the site has this. */
  readonly needs?: 'dataExportEnabled' | 'drawingEnabled' | 'tasksEnabled';
  /** A submenu below it, by the site's own names. */
  readonly children?: readonly { readonly path: string; readonly name: string }[];
}

export interface NavigationGroup {
  /** Null: it stands first, without a name. */
  readonly label: 'shell.groupConsole' | 'shell.groupAdmin' | 'shell.groupPersonal' | null;
  readonly entries: readonly NavigationEntry[];
}

const groups: readonly NavigationGroup[] = [
  {
    label: 'shell.groupConsole',
    entries: [
      {
        path: '/detail',
        label: 'shell.dashboard',
        Icon: InsertChartOutlinedOutlinedIcon,
        screen: screens.dashboard,
        role: 1,
        needs: 'dataExportEnabled',
      },
      { path: '/token', label: 'shell.tokens', Icon: VpnKeyOutlinedIcon, screen: screens.tokens, role: 1 },
      { path: '/log', label: 'shell.logs', Icon: ReceiptLongOutlinedIcon, screen: screens.logs, role: adminRole },
      {
        path: '/midjourney',
        label: 'shell.drawings',
        Icon: BrushOutlinedIcon,
        screen: screens.drawings,
        role: adminRole,
        needs: 'drawingEnabled',
      },
      {
        path: '/task',
        label: 'shell.tasks',
        Icon: MovieOutlinedIcon,
        screen: screens.creativeTasks,
        role: adminRole,
        needs: 'tasksEnabled',
      },
    ],
  },
  {
    label: 'shell.groupAdmin',
    entries: [
      { path: '/channel', label: 'shell.channels', Icon: HubOutlinedIcon, screen: screens.channels, role: adminRole },
      {
        path: '/redemption',
        label: 'shell.redemptions',
        Icon: ConfirmationNumberOutlinedIcon,
        screen: screens.redemptions,
        role: adminRole,
      },
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
  {
    label: 'shell.groupPersonal',
    entries: [
      {
        path: '/topup',
        label: 'shell.wallet',
        Icon: AccountBalanceWalletOutlinedIcon,
        screen: screens.wallet,
        role: 1,
      },
      { path: '/personal', label: 'shell.personal', Icon: PersonOutlinedIcon, screen: screens.personal, role: 1 },
    ],
  },
];

/** Playground, and the chat apps that the site links to. */
const talking = ({ chats }: SiteStatus): NavigationGroup => ({
  label: null,
  entries: [
    { path: '/playground', label: 'shell.playground', Icon: TerminalOutlinedIcon, screen: screens.playground, role: 1 },
    ...(chats && chats.length > 0
      ? [
          {
            path: '/chat',
            label: 'shell.chat' as const,
            Icon: ChatBubbleOutlinedIcon,
            screen: screens.chat,
            role: 1,
            children: chats.map(({ name }, index) => ({ path: `/chat/${String(index)}`, name })),
          },
        ]
      : []),
  ],
});

/** The side bar of a role: groups without entries fall away. */
export const navigationFor = (role: number, status: SiteStatus): readonly NavigationGroup[] =>
  [talking(status), ...groups]
    .map((group) => ({
      ...group,
      entries: group.entries.filter((entry) => role >= entry.role && (!entry.needs || status[entry.needs])),
    }))
    .filter((group) => group.entries.length > 0);
