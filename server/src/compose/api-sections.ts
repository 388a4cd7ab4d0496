import { sectionOf, type ApiSection } from '../platform/http/openapi/operation.js';
import { newApiPlanRoutes } from '../console/plans/new-api-plans.routes.js';
import { planRoutes } from '../console/plans/plan.routes.js';
import { budgetRoutes } from '../console/budgets/budget.routes.js';
import { auditRoutes } from '../console/audit/audit.routes.js';
import { channelMultiKeyRoutes } from '../console/channels/channel-multi-key.routes.js';
import { channelProviderRoutes } from '../console/channels/channel-provider.routes.js';
import { channelRoutes, modelCatalogueRoutes } from '../console/channels/channel.routes.js';
import { healthRoutes } from '../platform/health/health.routes.js';
import { inviteRoutes } from '../console/invites/invite.routes.js';
import { logRoutes } from '../console/logs/log.routes.js';
import { usageRoutes } from '../console/usage/usage.routes.js';
import { importRoutes } from '../import/console/import.routes.js';
import { organisationRoutes } from '../console/organisations/organisation.routes.js';
import { optionRoutes } from '../console/options/option.routes.js';
import { priceCheckRoutes } from '../console/prices/sync/price-sync.routes.js';
import { redeemRoutes, redemptionRoutes } from '../console/redemptions/redemption.routes.js';
import { registrationRoutes } from '../console/registration/registration.routes.js';
import { modelHealthRoutes } from '../console/health/models/model-health.routes.js';
import { statusPageRoutes } from '../console/health/status-page/status-page.routes.js';
import { pricingRoutes } from '../console/prices/pricing.routes.js';
import { setupRoutes } from '../console/setup/setup.routes.js';
import { statusRoutes } from '../console/status/status.routes.js';
import { creativeTaskRoutes, drawingRoutes } from '../console/tasks/task.routes.js';
import { tokenRoutes } from '../console/tokens/token.routes.js';
import { userKeyRoutes } from '../console/tokens/user-keys.routes.js';
import { billingRoutes, keyUsageRoutes, openRouterRoutes } from '../console/usage/billing.routes.js';
import { oauthRoutes } from '../console/oauth/oauth.routes.js';
import { signInProviderRoutes } from '../console/oauth/sign-in-provider.routes.js';
import { signInRoutes } from '../console/sign-in/sign-in.routes.js';
import { groupRoutes, usableGroupRoutes } from '../console/groups/group.routes.js';
import { factorSignInRoutes, secondFactorRoutes } from '../console/second-factors/second-factor.routes.js';
import { accountRoutes } from '../console/users/account.routes.js';
import { userRoutes } from '../console/users/user.routes.js';
import { statementRoutes } from '../console/statements/statement.routes.js';
import { callbackRoutes, orderRoutes, topUpPaymentRoutes } from '../console/wallet/wallet.routes.js';
import { webhookRoutes } from '../console/webhooks/webhook.routes.js';
import { checkInRoutes } from '../console/check-in/check-in.routes.js';
import { cohereRoutes, endpointRoutes } from '../services/endpoints.js';
import { interactionRoutes } from '../services/interactions/interaction-routes.js';
import { playgroundOperations } from '../services/playground/playground.routes.js';
import { realtimeServed } from '../services/realtime/realtime.routes.js';
import { countRoute, geminiModelRoutes, geminiRoute, modelRoutes } from '../services/relay.routes.js';
import { googleObjectRoutes, objectRoutes } from '../services/objects/object-routes.js';
import { responsesRoutes, responsesSocketRoute } from '../services/responses/responses-paths.js';
import { batchSubmissionRoutes, geminiBatchRoutes, newerGeminiBatchRoutes } from '../services/batches/batch.routes.js';
import { drawingSubmissionRoutes } from '../services/tasks/midjourney/midjourney.routes.js';
import { musicSubmissionRoutes } from '../services/tasks/suno/suno.routes.js';
import { klingRoutes, olderVideoRoutes, videoSubmissionRoutes } from '../services/tasks/video/videos.routes.js';
import { unbuiltRoutes } from '../services/unserved-paths.js';

/** The sections of the API reference. Every route of the server is in one of them. */
export const apiSections: readonly ApiSection[] = [
  sectionOf(
    'Models',
    'Called with an API key. Every path under `/v1` also exists under `/hf/v1`, `/v1beta/openai`, `/openai/v1` and `/anthropic/v1`, and clients of Azure OpenAI call `/openai/deployments/{deployment}`, those of Vertex AI `/v1/projects/…`, those of Bedrock `/model/{model}/invoke` and `/model/{model}/converse`. Errors have the form of the dialect: OpenAI, Anthropic (`/v1/messages`), Google (`/v1beta/models`, `/v1beta/interactions`) or Bedrock (`/model`).',
    [
      ...modelRoutes,
      ...geminiModelRoutes,
      ...endpointRoutes,
      ...cohereRoutes,
      countRoute,
      geminiRoute,
      ...interactionRoutes,
      ...responsesRoutes,
      responsesSocketRoute,
      ...realtimeServed,
      ...playgroundOperations,
      ...unbuiltRoutes,
    ],
  ),
  sectionOf(
    'Files and other objects',
    'Called with an API key. Makers keep them for an account. Each belongs to the user who made it, and calls that name it go to its account. `GET /v1/files` has the form of Anthropic for clients that send `anthropic-version` or `x-api-key`.',
    [...objectRoutes, ...googleObjectRoutes],
  ),
  sectionOf(
    'Batches',
    'Called with an API key. Calls that the maker runs within a day at a lower price. A batch is reserved when it is created, and charged by its results.',
    [...batchSubmissionRoutes, ...geminiBatchRoutes, ...newerGeminiBatchRoutes],
  ),
  sectionOf(
    'Drawings and music, submission',
    'Called with an API key. A task is submitted, polled and, if it fails, refunded.',
    [...drawingSubmissionRoutes, ...musicSubmissionRoutes],
  ),
  sectionOf(
    'Videos',
    "OpenAI's videos API, in front of every provider of videos. Called with an API key. A video is submitted, followed, read and, if it fails, refunded.",
    [...videoSubmissionRoutes, ...olderVideoRoutes, ...klingRoutes],
  ),
  sectionOf(
    'Budgets',
    'Limits of what may be used within a window. Users see those of their keys and of themselves, admins all.',
    budgetRoutes,
  ),
  sectionOf(
    'Plans',
    'What users buy for a period: budgets that pay for their calls, and groups. Users see their subscriptions, admins all.',
    [...planRoutes, ...newApiPlanRoutes],
  ),
  sectionOf(
    'API keys',
    "The caller's own API keys. Another user's key is not found. An API key with the scope `keys` may send these requests as `Authorization: Bearer sk-…`; it does not see the texts of other keys.",
    tokenRoutes,
  ),
  sectionOf(
    'API keys of users',
    'For admins and billing systems (docs/guide/billing-systems.md). Access tokens with the scope `BILLING` may send these requests.',
    userKeyRoutes,
  ),
  sectionOf('Usage of a key', 'Called with an API key. Balance tools read these.', [
    ...keyUsageRoutes,
    ...billingRoutes,
    ...openRouterRoutes,
  ]),
  sectionOf('Own account', 'The account of the caller.', [
    ...accountRoutes,
    ...secondFactorRoutes,
    ...usableGroupRoutes,
  ]),
  sectionOf('Wallet', 'How users get balance.', [
    ...topUpPaymentRoutes,
    ...orderRoutes,
    ...statementRoutes,
    ...callbackRoutes,
    ...checkInRoutes,
    ...inviteRoutes,
  ]),
  sectionOf(
    'Organisations',
    'Accounts without sign-in, for which their members act. With the header `Tollgate-Organization: <id>`, the requests on own keys, wallet, log and usage are those of the organisation, as far as the role there allows.',
    organisationRoutes,
  ),
  sectionOf('Log and usage', 'What was called and charged. Dashboards read more over GraphQL.', [
    ...logRoutes,
    ...usageRoutes,
    ...auditRoutes,
  ]),
  sectionOf('Drawings and music', 'Tasks that were submitted through the relay. Times of drawings are milliseconds.', [
    ...drawingRoutes,
    ...creativeTaskRoutes,
  ]),
  sectionOf(
    'Sign-in and registration',
    'Sessions are cookies for browsers; programs use an access token. These operations share a limit of 20 calls in 20 minutes per address.',
    [...signInRoutes, ...factorSignInRoutes, ...oauthRoutes, ...signInProviderRoutes, ...registrationRoutes],
  ),
  sectionOf('Site', 'What visitors may read, and the set-up of a new site.', [
    ...setupRoutes,
    ...statusRoutes,
    ...pricingRoutes,
    ...modelHealthRoutes,
    ...statusPageRoutes,
    ...modelCatalogueRoutes,
    ...groupRoutes,
  ]),
  sectionOf('Users', 'An admin may read and change users below the own role; root may change everyone.', userRoutes),
  sectionOf('Channels', 'Connections to providers. Changes reach all servers of a site within a second.', [
    ...channelRoutes,
    ...channelProviderRoutes,
    ...channelMultiKeyRoutes,
  ]),
  sectionOf('Redemption codes', 'Codes that users turn into balance.', [...redemptionRoutes, ...redeemRoutes]),
  sectionOf('Options', 'Settings of the site, in force on every server within a second.', [
    ...optionRoutes,
    ...priceCheckRoutes,
  ]),
  sectionOf(
    'Import',
    'From one-api, new-api, Veloera, one-hub or LiteLLM, into a fresh site. The file is uploaded here; everything else is GraphQL (`siteImport`, `checkImport`, `startImport`, `cancelImport`, `discardImport`).',
    importRoutes,
  ),
  sectionOf(
    'Webhooks',
    'Addresses that receive events of the site, and what was sent to them. The events and the form of the messages: docs/guide/webhooks.md.',
    webhookRoutes,
  ),
  sectionOf('Health', 'For load balancers and Prometheus.', healthRoutes),
];
