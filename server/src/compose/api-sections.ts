import type { ApiOperations, ApiSection } from '../http/openapi/operation.js';
import { budgetSection } from '../modules/budgets/budget.openapi.js';
import { auditOperations } from '../modules/audit/audit.openapi.js';
import { channelSection } from '../modules/channels/channel.openapi.js';
import { healthSection } from '../modules/health/health.openapi.js';
import { inviteOperations } from '../modules/invites/invite.openapi.js';
import { logSection } from '../modules/logs/log.openapi.js';
import { moveInSection } from '../modules/move-in/move-in.openapi.js';
import { optionSection } from '../modules/options/option.openapi.js';
import { redemptionSection } from '../modules/redemptions/redemption.openapi.js';
import { registrationOperations } from '../modules/registration/registration.openapi.js';
import { siteSection } from '../modules/setup/site.openapi.js';
import { taskSection } from '../modules/tasks/task.openapi.js';
import { tokenSection } from '../modules/tokens/token.openapi.js';
import { billingSection } from '../modules/usage/billing.openapi.js';
import { signInSection } from '../modules/users/sign-in.openapi.js';
import { accountSection, userSection } from '../modules/users/user.openapi.js';
import { walletSection } from '../modules/wallet/wallet.openapi.js';
import { relaySection } from '../relay/relay.openapi.js';
import { orderSection, videoSection } from '../relay/tasks/task-orders.openapi.js';

const withMore = (section: ApiSection, operations: ApiOperations): ApiSection => ({
  ...section,
  operations: { ...section.operations, ...operations },
});

/** The sections of the API reference. Every route of the server is in one of them. */
export const apiSections: readonly ApiSection[] = [
  relaySection,
  orderSection,
  videoSection,
  budgetSection,
  tokenSection,
  billingSection,
  accountSection,
  withMore(walletSection, inviteOperations),
  withMore(logSection, auditOperations),
  taskSection,
  withMore(signInSection, registrationOperations),
  siteSection,
  userSection,
  channelSection,
  redemptionSection,
  optionSection,
  moveInSection,
  healthSection,
];
