import { budgets } from './budgets.js';
import { customRoles } from './roles.js';
import { alerts } from './alerts.js';
import { channelHealth } from './channelHealth.js';
import { channels, unpriced } from './channels.js';
import { factors } from './factors.js';
import { fields } from './fields.js';
import { firstSteps } from './firstSteps.js';
import { live } from './live.js';
import { logs } from './logs.js';
import { modelHealth } from './modelHealth.js';
import { money } from './money.js';
import { palette } from './palette.js';
import { moveIn } from './moveIn.js';
import { chat, playground } from './playground.js';
import { belowCost, dryRun, priceCard, priceSync, quantities } from './prices.js';
import { rules } from './rules.js';
import { settings } from './settings.js';
import { statusPage } from './statusPage.js';
import { tasks } from './tasks.js';
import { tokenKeys } from './tokenKeys.js';
import { tokens } from './tokens.js';
import { users } from './users.js';

/** The texts of all other screens, loaded with the first of them. */
export const rest = {
  ...money,
  budgets,
  customRoles,
  alerts,
  channelHealth,
  channels,
  chat,
  factors,
  fields,
  firstSteps,
  tokenKeys,
  tokens,
  live,
  logs,
  palette,
  modelHealth,
  moveIn,
  playground,
  rules,
  priceCard,
  priceSync,
  dryRun,
  belowCost,
  quantities,
  settings,
  statusPage,
  tasks,
  unpriced,
  users,
};
