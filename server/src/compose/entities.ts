import type { EntityClass } from '../db/data-source.js';
import { Alert } from '../modules/alerts/alert.entity.js';
import { AuditRecord } from '../modules/audit/audit.entity.js';
import { AccessToken } from '../modules/auth/access-token.entity.js';
import { Session } from '../modules/auth/session.entity.js';
import { Budget } from '../modules/budgets/budget.entity.js';
import { Channel } from '../modules/channels/channel.entity.js';
import { Log } from '../modules/logs/log.entity.js';
import { Option } from '../modules/options/option.entity.js';
import { PriceVersion } from '../modules/pricing/price-version.entity.js';
import { PriceCheck } from '../modules/pricing/sync/price-check.entity.js';
import { PriceUpdate } from '../modules/pricing/sync/price-update.entity.js';
import { Redemption } from '../modules/redemptions/redemption.entity.js';
import { CustomRole } from '../modules/roles/custom-role.entity.js';
import { AuthenticatorApp } from '../modules/second-factors/authenticator-app.entity.js';
import { Passkey } from '../modules/second-factors/passkey.entity.js';
import { Setup } from '../modules/setup/setup.entity.js';
import { CreativeTask } from '../modules/tasks/creative-task.entity.js';
import { Drawing } from '../modules/tasks/drawing.entity.js';
import { Token } from '../modules/tokens/token.entity.js';
import { User } from '../modules/users/user.entity.js';
import { TopUpOrder } from '../modules/wallet/top-up-order.entity.js';

/** Every table that is read and written through TypeORM. */
export const entities: readonly EntityClass[] = [
  User,
  CustomRole,
  Session,
  Token,
  Channel,
  Option,
  Setup,
  Log,
  AuditRecord,
  Redemption,
  TopUpOrder,
  PriceVersion,
  PriceCheck,
  PriceUpdate,
  Drawing,
  CreativeTask,
  AccessToken,
  AuthenticatorApp,
  Passkey,
  Budget,
  Alert,
];
