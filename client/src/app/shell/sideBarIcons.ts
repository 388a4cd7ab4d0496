import AccountBalanceWalletOutlinedIcon from '@mui/icons-material/AccountBalanceWalletOutlined';
import BrushOutlinedIcon from '@mui/icons-material/BrushOutlined';
import ChatBubbleOutlinedIcon from '@mui/icons-material/ChatBubbleOutlineOutlined';
import ConfirmationNumberOutlinedIcon from '@mui/icons-material/ConfirmationNumberOutlined';
import CorporateFareOutlinedIcon from '@mui/icons-material/CorporateFareOutlined';
import GroupOutlinedIcon from '@mui/icons-material/GroupOutlined';
import GroupsOutlinedIcon from '@mui/icons-material/GroupsOutlined';
import HistoryOutlinedIcon from '@mui/icons-material/HistoryOutlined';
import HubOutlinedIcon from '@mui/icons-material/HubOutlined';
import InsertChartOutlinedOutlinedIcon from '@mui/icons-material/InsertChartOutlinedOutlined';
import LocalActivityOutlinedIcon from '@mui/icons-material/LocalActivityOutlined';
import MonitorHeartOutlinedIcon from '@mui/icons-material/MonitorHeartOutlined';
import MovieOutlinedIcon from '@mui/icons-material/MovieOutlined';
import NotificationsOutlinedIcon from '@mui/icons-material/NotificationsOutlined';
import PaymentsOutlinedIcon from '@mui/icons-material/PaymentsOutlined';
import PersonOutlinedIcon from '@mui/icons-material/PersonOutlineOutlined';
import QueryStatsOutlinedIcon from '@mui/icons-material/QueryStatsOutlined';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import SellOutlinedIcon from '@mui/icons-material/SellOutlined';
import SettingsOutlinedIcon from '@mui/icons-material/SettingsOutlined';
import SpaceDashboardOutlinedIcon from '@mui/icons-material/SpaceDashboardOutlined';
import TaskAltOutlinedIcon from '@mui/icons-material/TaskAltOutlined';
import TerminalOutlinedIcon from '@mui/icons-material/TerminalOutlined';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import WebhookOutlinedIcon from '@mui/icons-material/WebhookOutlined';
import type SvgIcon from '@mui/material/SvgIcon';
import type { SideBarLabel } from '../screens.js';

/** The icon of each entry. It loads with the side bar, which visitors do not see. */
export const sideBarIcons: Readonly<Record<SideBarLabel, typeof SvgIcon>> = {
  playground: TerminalOutlinedIcon,
  chat: ChatBubbleOutlinedIcon,
  dashboard: InsertChartOutlinedOutlinedIcon,
  savedDashboards: SpaceDashboardOutlinedIcon,
  tokens: VpnKeyOutlinedIcon,
  logs: ReceiptLongOutlinedIcon,
  modelHealth: MonitorHeartOutlinedIcon,
  statusPage: TaskAltOutlinedIcon,
  drawings: BrushOutlinedIcon,
  tasks: MovieOutlinedIcon,
  channels: HubOutlinedIcon,
  channelHealth: MonitorHeartOutlinedIcon,
  redemptions: ConfirmationNumberOutlinedIcon,
  plans: LocalActivityOutlinedIcon,
  users: GroupOutlinedIcon,
  allOrganisations: CorporateFareOutlinedIcon,
  profit: QueryStatsOutlinedIcon,
  payments: PaymentsOutlinedIcon,
  allStatements: ReceiptLongOutlinedIcon,
  alerts: NotificationsOutlinedIcon,
  webhooks: WebhookOutlinedIcon,
  priceHistory: SellOutlinedIcon,
  audit: HistoryOutlinedIcon,
  settings: SettingsOutlinedIcon,
  organisations: GroupsOutlinedIcon,
  wallet: AccountBalanceWalletOutlinedIcon,
  statements: ReceiptLongOutlinedIcon,
  myPlans: LocalActivityOutlinedIcon,
  personal: PersonOutlinedIcon,
};
