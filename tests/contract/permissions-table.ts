/**
 * The operations that each permission allows, written by hand to test the schema. An operation that needs one of several
 * permissions is listed under each of them. Operations that are not listed are open to every role, or only to fixed roles.
 */
export const opens: Readonly<Record<string, readonly string[]>> = {
  'channels.read': [
    ...['query channels', 'query channelsByTag', 'query channel', 'query channelSessions', 'query channelTags'],
    ...['query channelHealth', 'query channelTestRun', 'query failedAttempts', 'query keyFailures'],
    ...['query channelTypes', 'query enabledModels', 'query channelRetries', 'query groups'],
    ...['subscription channelChanged'],
    ...[
      'GET /api/channel',
      'GET /api/channel/search',
      'GET /api/channel/tag/models',
      'GET /api/channel/models',
      'GET /api/channel/models_enabled',
    ],
    ...['GET /api/group'],
  ],
  'channels.write': [
    ...['mutation createChannel', 'mutation copyChannel', 'mutation updateChannel', 'mutation deleteChannel'],
    ...['mutation enableChannel', 'mutation disableChannel', 'mutation enableChannels', 'mutation disableChannels'],
    ...['mutation deleteChannels', 'mutation updateChannels', 'mutation deleteDisabledChannels'],
    ...['mutation setChannelTag', 'mutation enableChannelTag', 'mutation disableChannelTag'],
    ...['mutation updateChannelTag', 'mutation fixChannels', 'mutation testChannel', 'mutation testAllChannels'],
    ...['mutation fetchUpstreamModels', 'mutation clearChannelSessions', 'mutation clearChannelCooldowns'],
    ...['mutation addChannelKeys', 'mutation removeChannelKey'],
    ...['mutation updateChannelBalance', 'mutation updateAllChannelBalances'],
    ...['query salesBelowCost', 'query modelSale', 'query unpricedModels'],
    ...['POST /api/channel', 'PUT /api/channel', 'DELETE /api/channel/:id', 'POST /api/channel/batch'],
    ...['DELETE /api/channel/disabled', 'POST /api/channel/batch/tag', 'POST /api/channel/tag/enabled'],
    ...['POST /api/channel/tag/disabled', 'PUT /api/channel/tag', 'POST /api/channel/fix'],
    ...['GET /api/channel/test/:id', 'GET /api/channel/test', 'GET /api/channel/fetch_models/:id'],
    ...['POST /api/channel/fetch_models', 'GET /api/channel/update_balance/:id', 'GET /api/channel/update_balance'],
    ...['DELETE /api/channel/:id/cooldowns', 'POST /api/channel/copy/:id'],
    'POST /api/channel/multi_key/manage',
  ],
  // The REST detail of a channel contains its keys, so it needs this permission.
  'channels.secrets': [
    'query channelKeys',
    'query drawingNotifyUrl',
    'GET /api/channel/:id',
    'POST /api/channel/:id/key',
  ],
  'users.read': [
    ...['query users', 'query user', 'query userSessions', 'query tokens', 'query groups', 'query lowBalances'],
    ...['GET /api/user', 'GET /api/user/search', 'GET /api/user/:id', 'GET /api/group'],
    ...['query organisations', 'GET /api/organization/all'],
  ],
  'users.write': [
    ...['mutation createUser', 'mutation updateUser', 'mutation banUser', 'mutation enableUser'],
    ...['mutation banUsers', 'mutation enableUsers', 'mutation setUserGroup'],
    ...['mutation deactivateUser', 'mutation removeUser', 'mutation resetSecondFactors', 'mutation endUserSessions'],
    // These operations are refused for every target, except for callers with root's role (`custom-roles.test.ts`).
    ...['mutation promoteUser', 'mutation demoteUser'],
    ...['POST /api/user', 'PUT /api/user', 'DELETE /api/user/:id', 'POST /api/user/manage'],
    ...['mutation addMember', 'POST /api/organization/:id/member'],
  ],
  'users.quota': [
    ...['mutation grantQuota', 'POST /api/topup', 'POST /api/user/:id/balance'],
    ...['mutation grantPlan', 'mutation refundPlan', 'POST /api/plan/grant', 'POST /api/plan/refund'],
    ...['mutation stopPlanRenewal', 'POST /api/plan/renewal/stop'],
  ],
  'users.keys': [
    ...['mutation createUserToken', 'mutation updateUserToken', 'mutation rotateUserToken'],
    ...['mutation revokeUserToken', 'GET /api/key', 'POST /api/key', 'PUT /api/key'],
    ...['POST /api/key/:id/rotate', 'DELETE /api/key/:id'],
  ],
  budgets: ['query groups', 'GET /api/group'],
  prices: [
    ...['query priceVersions', 'query priceVersion', 'query unpricedModels', 'query salesBelowCost'],
    'query modelSale',
    ...['query enabledModels', 'query groups', 'query options'],
    ...['GET /api/option', 'GET /api/channel/models_enabled', 'GET /api/group'],
    ...['mutation createPlan', 'mutation updatePlan', 'mutation deletePlan'],
    ...['POST /api/plan', 'PUT /api/plan', 'DELETE /api/plan/:id'],
  ],
  'prices.sync': [
    ...['query priceCheck', 'query priceUpdates', 'query priceDryRun'],
    ...['mutation checkPrices', 'mutation applyPrices', 'mutation undoPrices', 'POST /api/price_check'],
  ],
  payments: [
    'query topUps',
    'GET /api/user/topup',
    'query topUpEvents',
    'query topUpReversals',
    'query revenue',
    'query statements',
    'query statementMonths',
    'GET /api/payment/export',
    'GET /api/statement',
    'GET /api/statement/export',
    ...['query planSubscriptions', 'GET /api/plan/subscription'],
  ],
  'payments.settings': ['query options', 'GET /api/option', 'mutation testPayment'],
  codes: [
    ...['query redemptions', 'query redemptionBatches', 'mutation createRedemptions', 'mutation updateRedemption'],
    ...['mutation enableRedemption', 'mutation disableRedemption', 'mutation disableRedemptions'],
    ...['mutation deleteRedemption', 'mutation deleteRedemptionBatch', 'mutation deleteDisabledRedemptions'],
    ...['GET /api/redemption', 'GET /api/redemption/search', 'GET /api/redemption/:id', 'POST /api/redemption'],
    ...['GET /api/redemption/count-by-name', 'PUT /api/redemption', 'DELETE /api/redemption/:id'],
    ...['DELETE /api/redemption/delete-by-name', 'PUT /api/redemption/batch-disable'],
    ...['DELETE /api/redemption/delete-disabled', 'GET /api/redemption/export'],
    ...['mutation disableMatchingRedemptions', 'mutation deleteMatchingRedemptions'],
  ],
  'logs.read': [
    ...['query logs', 'query liveCalls', 'subscription logCreated'],
    ...['GET /api/log', 'GET /api/log/search', 'GET /api/log/stat', 'GET /api/log/export'],
    ...['query groups', 'GET /api/group'],
  ],
  'logs.delete': ['mutation deleteLogs', 'DELETE /api/log'],
  'logs.content': [],
  'logs.captures': ['query capturedContent'],
  'tasks.read': [
    ...['query drawings', 'query creativeTasks', 'subscription drawingChanged', 'subscription creativeTaskChanged'],
    ...['GET /api/mj', 'GET /api/task'],
  ],
  'usage.read': [
    'query usage',
    'query ledgerTotals',
    'query userGrowth',
    'query credits',
    'query liabilities',
    ...['query dashboards', 'query dashboard', 'query checkPanel'],
    ...['mutation createDashboard', 'mutation updateDashboard', 'mutation deleteDashboard'],
    'GET /api/data',
    'GET /api/data/export',
  ],
  options: [
    ...['query options', 'mutation setOption', 'query latestRelease', 'query groups', 'query enabledModels'],
    ...['GET /api/option', 'PUT /api/option', 'GET /api/status/test', 'GET /api/group'],
    ...['GET /api/channel/models_enabled'],
  ],
  alerts: ['query alerts', 'mutation markAlertsSeen'],
  webhooks: [
    ...['query siteEventKinds', 'query webhookEndpoints', 'query webhookDeliveries', 'subscription siteEventCreated'],
    ...['mutation createWebhookEndpoint', 'mutation updateWebhookEndpoint', 'mutation renewWebhookSecret'],
    ...['mutation deleteWebhookEndpoint', 'mutation resendWebhook', 'mutation resendWebhooks', 'mutation testWebhook'],
    ...['GET /api/webhook', 'POST /api/webhook', 'PUT /api/webhook', 'DELETE /api/webhook/:id'],
    ...['POST /api/webhook/:id/secret', 'POST /api/webhook/:id/test', 'GET /api/webhook/delivery'],
    ...['POST /api/webhook/delivery/:id/send', 'POST /api/webhook/:id/resend'],
  ],
  audit: ['query auditEntries', 'mutation restoreAuditEntry', 'GET /api/audit/export'],
};

/** The permissions that each permission includes. */
const implied: Readonly<Record<string, readonly string[]>> = {
  'channels.write': ['channels.read'],
  'channels.secrets': ['channels.read'],
  'users.write': ['users.read'],
  'users.quota': ['users.read'],
  'users.keys': ['users.read'],
  'prices.sync': ['prices'],
  'logs.delete': ['logs.read'],
  'logs.content': ['logs.read'],
  'logs.captures': ['logs.read', 'logs.content'],
};

export const permissionNames = Object.keys(opens);

/** Returns a permission with the permissions that it includes. */
export const heldWith = (permission: string): readonly string[] => [permission, ...(implied[permission] ?? [])];

/** Operations that only fixed roles may call, because they give access to every other permission. */
export const closed: readonly string[] = [
  ...['query permissions', 'query customRoles', 'mutation createCustomRole', 'mutation updateCustomRole'],
  ...['mutation deleteCustomRole', 'mutation giveCustomRole'],
  ...['query siteImport', 'mutation checkImport', 'mutation startImport', 'mutation cancelImport'],
  ...['mutation discardImport', 'POST /api/import/file', 'GET /api/import/report'],
  ...[
    'query signInProviders',
    'mutation createSignInProvider',
    'mutation updateSignInProvider',
    'mutation deleteSignInProvider',
    ...['GET /api/sign-in-provider', 'POST /api/sign-in-provider', 'PUT /api/sign-in-provider'],
    'DELETE /api/sign-in-provider/:id',
  ],
  ...['mutation discoverOidc', 'mutation sendTestAlert', 'mutation resetModelRatio', 'mutation tryGuardrail'],
  ...['POST /api/option/rest_model_ratio'],
];

/** Operations that need several permissions at once. */
export const opensTogether: Readonly<Record<string, readonly string[]>> = {
  'GET /api/usage/total': ['usage.read', 'users.read'],
  'mutation markTopUpPaid': ['users.quota', 'payments'],
  'mutation refundTopUp': ['users.quota', 'payments'],
  'POST /api/payment/:id/refund': ['users.quota', 'payments'],
  'mutation settleTopUpRefund': ['users.quota', 'payments'],
  'POST /api/payment/:id/refund/outcome': ['users.quota', 'payments'],
};
