import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, Kind, OperationTypeNode } from 'graphql';

export type Caller = 'anonymous' | 'common' | 'admin' | 'root';
export const callers: readonly Caller[] = ['anonymous', 'common', 'admin', 'root'];

/** One operation, with its calls over GraphQL and REST. The minimum role is the `@access` of its fields. */
export interface Operation {
  /** The minimum role. Only set for operations without a GraphQL field. */
  readonly least?: Caller;
  /** A field with arguments that affect no row: an unknown id, or input that is refused after the role check. */
  readonly graphql?: readonly string[];
  /** `METHOD /pattern`, then the query to send; bodies are `{}` unless given in `body`. */
  readonly rest?: ReadonlyArray<
    string | readonly [route: string, rest: { query?: string; body?: unknown; headers?: Record<string, string> }]
  >;
  /** The call consumes its caller (ends the session, deletes the user), so each gets its own caller. */
  readonly spends?: true;
  /** Root is refused: the root account cannot be deleted. */
  readonly notRoot?: true;
}

const unknownId = 999_999;

/**
 * Every operation. `roles.test.ts` fails for a field of the schema or a route under `/api` that is missing here, and
 * for a row without either.
 */
export const operations: readonly Operation[] = [
  // Anonymous visitors
  { graphql: ['query { status { version } }'], rest: ['GET /api/status'] },
  { graphql: ['query { notice }'], rest: ['GET /api/notice'] },
  { graphql: ['query { about }'], rest: ['GET /api/about'] },
  { graphql: ['query { homePageContent }'], rest: ['GET /api/home_page_content'] },
  { graphql: ['query { setup { isDone } }'], rest: ['GET /api/setup'] },
  { graphql: ['mutation { completeSetup(input: {}) { setup { isDone } } }'], rest: ['POST /api/setup'] },
  { graphql: ['query { pricing { models { modelName } } }'], rest: ['GET /api/pricing', 'GET /api/ratio_config'] },
  { least: 'anonymous', rest: ['GET /api/available_model', 'GET /api/user_group_map'] },
  // An anonymous caller gets null, unless the option model_health.access is public.
  { graphql: ['query { modelHealth { rows { modelName } } }'] },
  { least: 'common', rest: ['GET /api/model_health', 'GET /api/model_health/badge/:model'] },
  // The field is null, and REST refuses the request, while the option status_page.enabled is off.
  { graphql: ['query { statusPage { state } }'] },
  { least: 'anonymous', rest: ['GET /api/status_page'] },
  { least: 'anonymous', rest: ['GET /api/user/groups'] },
  {
    graphql: ['mutation { login(input: { username: "nobody", password: "nothing" }) { user { id } } }'],
    rest: ['POST /api/user/login'],
  },
  {
    graphql: [
      'mutation { beginSecondFactor { kinds } }',
      'mutation { finishSecondFactor(input: { code: "000000" }) { user { id } } }',
      'mutation { beginPasskeySignIn { attempt } }',
      'mutation { signInWithPasskey(input: { attempt: "none", response: {} }) { user { id } } }',
    ],
    rest: ['POST /api/user/login/2fa'],
  },
  {
    graphql: ['mutation { register(input: { username: "", password: "" }) { username } }'],
    rest: ['POST /api/user/register'],
  },
  { graphql: ['mutation { sendEmailCode(input: { email: "" }) { email } }'], rest: ['GET /api/verification'] },
  { graphql: ['mutation { requestPasswordReset(input: { email: "" }) { email } }'], rest: ['GET /api/reset_password'] },
  {
    graphql: ['mutation { resetPassword(input: { email: "", token: "" }) { password } }'],
    rest: ['POST /api/user/reset'],
  },
  {
    graphql: ['mutation { beginSignIn(input: { provider: GITHUB }) { url } }'],
    rest: [
      ...['GET /api/oauth/state', 'GET /api/oauth/github', 'GET /api/oauth/oidc', 'GET /api/oauth/linuxdo'],
      // Only the console's own pages may call these, and they identify themselves by this header.
      ['GET /api/oauth/wechat', { headers: { 'veloera-user': '-1' } }],
      ['GET /api/oauth/telegram/login', { headers: { 'veloera-user': '-1' } }],
    ],
  },
  { graphql: ['mutation { logout { wasSignedIn } }'], rest: ['GET /api/user/logout'], spends: true },
  // null for an anonymous caller
  { graphql: ['query { me { id } }'] },

  // Live data
  { graphql: ['subscription { balanceChanged { quota } }'] },
  { graphql: ['subscription { myLogCreated { missed } }'] },
  { graphql: ['subscription { myDrawingChanged { missed } }'] },
  { graphql: ['subscription { myCreativeTaskChanged { missed } }'] },
  { graphql: ['subscription { logCreated { missed } }'] },
  { graphql: ['subscription { drawingChanged { missed } }'] },
  { graphql: ['subscription { creativeTaskChanged { missed } }'] },
  { graphql: ['subscription { channelChanged { missed } }'] },

  // Own account
  { least: 'common', rest: ['GET /api/user/self'] },
  {
    graphql: ['mutation { updateMe(input: { password: "short" }) { user { id } } }'],
    rest: [['PUT /api/user/self', { body: { password: 'short' } }]],
  },
  {
    graphql: ['mutation { deleteMe { id } }'],
    rest: ['DELETE /api/user/self'],
    spends: true,
    notRoot: true,
  },
  { graphql: ['query { accessToken }'] },
  {
    graphql: ['mutation { renewAccessToken { accessToken } }'],
    rest: ['GET /api/user/token', 'POST /api/user/token'],
  },
  {
    graphql: [
      'mutation { bindEmail(input: { email: "", code: "" }) { user { id } } }',
      'mutation { bindWechat(code: "") { user { id } } }',
      'mutation { unbindIdentity(provider: WECHAT) { user { id } } }',
    ],
    rest: ['GET /api/oauth/email/bind', 'GET /api/oauth/wechat/bind', 'GET /api/oauth/telegram/bind'],
  },
  { graphql: ['query { hasPassword }'] },
  { graphql: ['query { mySessions { id } }'] },
  { graphql: ['query { secondFactors { recoveryCodesLeft } }'] },
  {
    graphql: [
      'mutation { beginAuthenticatorApp { uri } }',
      'mutation { confirmAuthenticatorApp(code: "") { recoveryCodes } }',
      'mutation { removeAuthenticatorApp { secondFactors { isRequired } } }',
      'mutation { beginPasskey { options } }',
      'mutation { addPasskey(input: { name: "", response: {} }) { recoveryCodes } }',
      `mutation { renamePasskey(input: { id: ${unknownId}, name: "a" }) { passkey { id } } }`,
      `mutation { removePasskey(id: ${unknownId}) { id } }`,
      'mutation { renewRecoveryCodes { recoveryCodes } }',
      'mutation { beginSessionConfirmation { kinds } }',
      'mutation { confirmSession(input: {}) { secondFactors { isRequired } } }',
    ],
  },
  { graphql: ['query { accessTokens { id } }'] },
  { graphql: ['mutation { createAccessToken(input: { name: "", scopes: [] }) { secret } }'] },
  { graphql: [`mutation { revokeAccessToken(id: ${unknownId}) { accessToken { id } } }`] },
  { graphql: ['mutation { revokeSession(id: "none") { id } }'] },
  { graphql: ['mutation { revokeOtherSessions { count } }'] },
  { graphql: ['query { mySetting { notifyType } }'] },
  {
    graphql: ['mutation { updateMySetting(input: { quotaWarningThreshold: 0 }) { setting { notifyType } } }'],
    rest: ['PUT /api/user/setting'],
  },
  { graphql: ['query { canCheckIn }'], rest: ['GET /api/user/check_in_status', 'GET /api/user/checkin'] },
  { graphql: ['mutation { checkIn { quota } }'], rest: ['POST /api/user/check_in', 'POST /api/user/checkin'] },
  { least: 'common', rest: ['GET /api/user/2fa/status', 'GET /api/user/passkey', 'POST /api/verify'] },
  { graphql: ['query { inviteCode }'], rest: ['GET /api/user/aff'] },
  {
    graphql: ['mutation { transferInviteQuota(input: { quota: 1, idempotencyKey: "roles" }) { replayed } }'],
    rest: ['POST /api/user/aff_transfer'],
  },
  { graphql: ['query { myGroups { name } }'], rest: ['GET /api/user/self/groups'] },
  { graphql: ['query { myModels }'], rest: ['GET /api/user/models'] },
  { least: 'common', rest: ['GET /api/models'] },

  // Own tokens
  {
    graphql: ['query { myTokens { totalCount } }'],
    rest: ['GET /api/token', 'GET /api/token/search'],
  },
  {
    graphql: [`query { tokenKey(id: ${unknownId}) }`],
    rest: [
      'GET /api/token/:id',
      'POST /api/token/:id/key',
      ['POST /api/token/batch/keys', { body: { ids: [unknownId] } }],
    ],
  },
  {
    graphql: ['mutation { createToken(input: { name: "" }) { key } }'],
    rest: [['POST /api/token', { body: { name: '' } }]],
  },
  {
    graphql: [
      `mutation { updateToken(input: { id: ${unknownId} }) { token { id } } }`,
      `mutation { enableToken(id: ${unknownId}) { token { id } } }`,
      `mutation { disableToken(id: ${unknownId}) { token { id } } }`,
    ],
    rest: [['PUT /api/token', { body: { id: unknownId } }]],
  },
  { graphql: [`mutation { deleteToken(id: ${unknownId}) { id } }`], rest: ['DELETE /api/token/:id'] },
  {
    graphql: [
      `mutation { enableTokens(ids: [${unknownId}]) { done } }`,
      `mutation { disableTokens(ids: [${unknownId}]) { done } }`,
      `mutation { deleteTokens(ids: [${unknownId}]) { done } }`,
      `mutation { setTokenGroup(input: { ids: [${unknownId}] }) { done } }`,
    ],
    rest: [['POST /api/token/batch', { body: { ids: [unknownId] } }]],
  },
  {
    graphql: [`mutation { rotateToken(input: { id: ${unknownId} }) { key } }`],
    rest: ['POST /api/token/:id/rotate'],
  },
  {
    graphql: [`mutation { endTokenOverlap(id: ${unknownId}) { token { id } } }`],
    rest: ['DELETE /api/token/:id/previous'],
  },

  // Own log
  {
    graphql: ['query { myLogs { totalCount } }'],
    rest: ['GET /api/log/self', 'GET /api/log/self/search'],
  },
  { least: 'common', rest: ['GET /api/log/self/stat'] },

  // Drawings and music
  { graphql: ['query { myDrawings { totalCount } }'], rest: ['GET /api/mj/self'] },
  { graphql: ['query { myCreativeTasks { totalCount } }'], rest: ['GET /api/task/self'] },
  { graphql: ['query { drawings { totalCount } }'], rest: ['GET /api/mj'] },
  { graphql: ['query { creativeTasks { totalCount } }'], rest: ['GET /api/task'] },
  { graphql: [`query { drawingNotifyUrl(channelId: ${unknownId}) }`] },
  // This route identifies the caller by an API key (`logs.test.ts`).
  { least: 'common', rest: ['GET /api/log/token'] },

  // Users
  {
    graphql: ['query { users { totalCount } }'],
    rest: ['GET /api/user', 'GET /api/user/search'],
  },
  { graphql: [`query { user(id: ${unknownId}) { id } }`], rest: ['GET /api/user/:id'] },
  {
    graphql: ['mutation { createUser(input: { username: "", password: "" }) { user { id } } }'],
    rest: ['POST /api/user'],
  },
  {
    graphql: [`mutation { updateUser(input: { id: ${unknownId} }) { user { id } } }`],
    rest: [['PUT /api/user', { body: { id: unknownId } }]],
  },
  {
    graphql: [
      `mutation { grantQuota(input: { userId: ${unknownId}, amount: 1, idempotencyKey: "roles" }) { user { id } } }`,
    ],
    rest: [['POST /api/topup', { body: { user_id: unknownId, quota: 1 } }]],
  },
  {
    graphql: [
      `mutation { banUser(id: ${unknownId}) { user { id } } }`,
      `mutation { enableUser(id: ${unknownId}) { user { id } } }`,
      `mutation { promoteUser(id: ${unknownId}) { user { id } } }`,
      `mutation { banUsers(ids: [${unknownId}]) { done } }`,
      `mutation { enableUsers(ids: [${unknownId}]) { done } }`,
      `mutation { setUserGroup(input: { ids: [${unknownId}], group: "vip" }) { done } }`,
      `mutation { demoteUser(id: ${unknownId}) { user { id } } }`,
      `mutation { deactivateUser(id: ${unknownId}) { user { id } } }`,
      `mutation { resetSecondFactors(userId: ${unknownId}) { user { id } } }`,
    ],
    rest: [['POST /api/user/manage', { body: { id: unknownId, action: 'delete' } }]],
  },
  { graphql: [`mutation { removeUser(id: ${unknownId}) { id } }`], rest: ['DELETE /api/user/:id'] },

  // Organisations: who may do what in one is in organisations-matrix.test.ts.
  { graphql: ['query { organisations { totalCount } }'], rest: ['GET /api/organization/all'] },
  { graphql: ['query { myOrganisations { id } }'], rest: ['GET /api/organization'] },
  { graphql: [`query { organisation(id: ${unknownId}) { id } }`], rest: ['GET /api/organization/:id'] },
  { graphql: [`query { members(organisationId: ${unknownId}) { id } }`], rest: ['GET /api/organization/:id/member'] },
  { graphql: [`query { projects(organisationId: ${unknownId}) { id } }`], rest: ['GET /api/organization/:id/project'] },
  {
    graphql: [`query { invitations(organisationId: ${unknownId}) { id } }`],
    rest: ['GET /api/organization/:id/invitation'],
  },
  { graphql: ['query { invitation(token: "none") { role } }'], rest: ['GET /api/organization/invitation'] },
  {
    graphql: ['mutation { createOrganisation(input: { name: "" }) { organisation { id } } }'],
    rest: [['POST /api/organization', { body: { name: '' } }]],
  },
  {
    graphql: [`mutation { renameOrganisation(input: { id: ${unknownId}, name: "a" }) { organisation { id } } }`],
    rest: [['PUT /api/organization/:id', { body: { name: 'a' } }]],
  },
  { graphql: [`mutation { deleteOrganisation(id: ${unknownId}) { id } }`], rest: ['DELETE /api/organization/:id'] },
  { graphql: [`mutation { leaveOrganisation(id: ${unknownId}) { id } }`], rest: ['POST /api/organization/:id/leave'] },
  {
    graphql: [
      `mutation { addMember(input: { organisationId: ${unknownId}, userId: 1, role: MEMBER }) { member { id } } }`,
    ],
    rest: [['POST /api/organization/:id/member', { body: { user_id: 1, role: 'member' } }]],
  },
  {
    graphql: [`mutation { setMemberRole(input: { id: ${unknownId}, role: MEMBER }) { member { id } } }`],
    rest: [['PUT /api/organization/member/:id', { body: { role: 'member' } }]],
  },
  { graphql: [`mutation { removeMember(id: ${unknownId}) { id } }`], rest: ['DELETE /api/organization/member/:id'] },
  {
    graphql: [`mutation { createProject(input: { organisationId: ${unknownId}, name: "a" }) { project { id } } }`],
    rest: [['POST /api/organization/:id/project', { body: { name: 'a' } }]],
  },
  {
    graphql: [`mutation { updateProject(input: { id: ${unknownId} }) { project { id } } }`],
    rest: ['PUT /api/organization/project/:id'],
  },
  {
    graphql: [`mutation { inviteMember(input: { organisationId: ${unknownId}, role: MEMBER }) { link } }`],
    rest: [['POST /api/organization/:id/invitation', { body: { role: 'member' } }]],
  },
  {
    graphql: [`mutation { revokeInvitation(id: ${unknownId}) { id } }`],
    rest: ['DELETE /api/organization/invitation/:id'],
  },
  {
    graphql: ['mutation { acceptInvitation(token: "none") { organisation { id } } }'],
    rest: [['POST /api/organization/accept', { body: { token: 'none' } }]],
  },

  // Custom roles
  { graphql: ['query { permissions { name } }', 'query { customRoles { id } }'] },
  {
    graphql: [
      'mutation { createCustomRole(input: { name: "", permissions: [] }) { role { id } } }',
      `mutation { updateCustomRole(input: { id: ${unknownId} }) { role { id } } }`,
      `mutation { deleteCustomRole(id: ${unknownId}) { id } }`,
      `mutation { giveCustomRole(input: { userId: ${unknownId} }) { user { id } } }`,
    ],
  },

  // Options and groups
  { graphql: ['query { options { totalCount } }'], rest: ['GET /api/option'] },
  {
    graphql: ['mutation { setOption(input: { key: "RetryTimes", value: "0" }) { option { key } } }'],
    rest: [['PUT /api/option', { body: { key: 'RetryTimes', value: '0' } }]],
  },
  { graphql: ['mutation { resetModelRatio { option { key } } }'], rest: ['POST /api/option/rest_model_ratio'] },
  { graphql: ['query { siteImport { refusal } }'] },
  { graphql: ['mutation { checkImport(input: { choices: {} }) { siteImport { refusal } } }'] },
  { graphql: ['mutation { startImport { siteImport { refusal } } }'] },
  { graphql: ['mutation { cancelImport { siteImport { refusal } } }'] },
  { graphql: ['mutation { discardImport { siteImport { refusal } } }'] },
  { least: 'root', rest: ['POST /api/import/file', 'GET /api/import/report'] },
  { graphql: ['query { priceCheck { id } }'] },
  { graphql: ['query { priceUpdates { id } }'] },
  { graphql: ['query { priceDryRun(settings: [], days: 0) { since } }'] },
  {
    graphql: ['mutation { checkPrices(input: { urls: [] }) { check { id } } }'],
    rest: [['POST /api/price_check', { query: '?name=x.json' }]],
  },
  { graphql: ['mutation { applyPrices(input: { checkId: 0, choices: [] }) { update { id } } }'] },
  { graphql: ['mutation { undoPrices(input: { updateId: 0 }) { update { id } } }'] },
  { graphql: ['mutation { discoverOidc(wellKnown: "none") { endpoints { tokenEndpoint } } }'] },
  { graphql: ['mutation { testPayment { outcome } }'] },
  { graphql: ['query { latestRelease { tag } }'] },
  { graphql: ['query { auditEntries { totalCount } }'] },
  { graphql: [`mutation { restoreAuditEntry(id: "${unknownId}") { restored } }`] },
  { graphql: ['query { groups }'], rest: ['GET /api/group'] },
  { least: 'admin', graphql: ['query { salesBelowCost { modelName } }'] },
  { least: 'admin', graphql: ['query { modelSale(modelName: "gpt-4o") { groups { name } } }'] },
  { least: 'admin', rest: ['GET /api/status/test'] },

  // Channels
  {
    graphql: ['query { channels { totalCount } }', 'query { channelsByTag { totalCount } }'],
    rest: ['GET /api/channel', 'GET /api/channel/search', ['GET /api/channel/tag/models', { query: 'tag=none' }]],
  },
  {
    graphql: [`query { channel(id: ${unknownId}) { id } }`],
    rest: ['GET /api/channel/:id', 'POST /api/channel/:id/key'],
  },
  { graphql: [`query { channelKeys(id: ${unknownId}) }`] },
  { graphql: [`query { channelSessions(id: ${unknownId}) { totalCount } }`] },
  { graphql: ['query { channelTestRun { total } }'] },
  { graphql: ['query { channelHealth { rows { channelId } } }'] },
  { graphql: ['query { failedAttempts { id } }'] },
  { graphql: ['query { keyFailures { attempts } }'] },
  { graphql: ['query { channelTags }'] },
  {
    graphql: [`mutation { copyChannel(input: { id: ${unknownId}, name: "copy" }) { channel { id } } }`],
    rest: ['POST /api/channel/copy/:id'],
  },
  { graphql: ['query { channelTypes { id } }'], rest: ['GET /api/channel/models'] },
  { graphql: ['query { enabledModels }'], rest: ['GET /api/channel/models_enabled'] },
  {
    graphql: ['mutation { createChannel(input: { type: OPENAI, name: "", keys: [], models: [] }) { replayed } }'],
    rest: ['POST /api/channel'],
  },
  {
    graphql: [
      `mutation { updateChannel(input: { id: ${unknownId} }) { channel { id } } }`,
      `mutation { enableChannel(id: ${unknownId}) { channel { id } } }`,
      `mutation { disableChannel(id: ${unknownId}) { channel { id } } }`,
    ],
    rest: [['PUT /api/channel', { body: { id: unknownId } }]],
  },
  { graphql: [`mutation { deleteChannel(id: ${unknownId}) { id } }`], rest: ['DELETE /api/channel/:id'] },
  {
    graphql: [
      `mutation { deleteChannels(ids: [${unknownId}]) { done } }`,
      `mutation { enableChannels(ids: [${unknownId}]) { done } }`,
      `mutation { disableChannels(ids: [${unknownId}]) { done } }`,
      `mutation { updateChannels(input: { ids: [${unknownId}], weight: 1 }) { done } }`,
    ],
    rest: [['POST /api/channel/batch', { body: { ids: [unknownId] } }]],
  },
  { graphql: ['mutation { deleteDisabledChannels { count } }'], rest: ['DELETE /api/channel/disabled'] },
  {
    graphql: [`mutation { setChannelTag(input: { ids: [${unknownId}], tag: "none" }) { done } }`],
    rest: [['POST /api/channel/batch/tag', { body: { ids: [unknownId], tag: 'none' } }]],
  },
  {
    graphql: [
      'mutation { enableChannelTag(tag: "none") { count } }',
      'mutation { disableChannelTag(tag: "none") { count } }',
    ],
    rest: [
      ['POST /api/channel/tag/enabled', { body: { tag: 'none' } }],
      ['POST /api/channel/tag/disabled', { body: { tag: 'none' } }],
    ],
  },
  {
    graphql: ['mutation { updateChannelTag(input: { tag: "none" }) { count } }'],
    rest: [['PUT /api/channel/tag', { body: { tag: 'none' } }]],
  },
  { graphql: ['mutation { fixChannels { count } }'], rest: ['POST /api/channel/fix'] },
  {
    graphql: [`mutation { testChannel(input: { id: ${unknownId} }) { __typename } }`],
    rest: ['GET /api/channel/test/:id'],
  },
  {
    graphql: [`mutation { fetchUpstreamModels(input: { id: ${unknownId} }) { models } }`],
    rest: ['GET /api/channel/fetch_models/:id', 'POST /api/channel/fetch_models'],
  },

  // Tokens and logs of all users
  { graphql: ['query { tokens { totalCount } }'] },
  {
    graphql: ['query { logs { totalCount } }'],
    rest: ['GET /api/log', 'GET /api/log/search'],
  },
  { least: 'admin', rest: ['GET /api/log/stat'] },
  {
    graphql: ['mutation { deleteLogs(before: "1970-01-02T00:00:00Z") { count } }'],
    rest: [['DELETE /api/log', { query: 'target_timestamp=1' }]],
  },

  { least: 'root', graphql: ['query { capturedContent(requestId: "none") { request } }'] },
  { least: 'root', graphql: ['mutation { tryGuardrail(input: { rule: "{}", text: "" }) { trial { matched } } }'] },

  // Saved dashboards
  {
    graphql: [
      'query { dashboards { totalCount } }',
      `query { dashboard(id: ${unknownId}) { id } }`,
      'query { checkPanel(panel: { title: "", kind: TABLE, query: "" }) { title } }',
      'mutation { createDashboard(input: { name: "", panels: [] }) { dashboard { id } } }',
      `mutation { updateDashboard(input: { id: ${unknownId} }) { dashboard { id } } }`,
      `mutation { deleteDashboard(id: ${unknownId}) { id } }`,
    ],
  },
  // Budgets
  { graphql: ['query { budgets { totalCount } }'], rest: ['GET /api/budget'] },
  { least: 'common', rest: ['GET /api/budget/:id', 'GET /api/budget/export'] },
  { graphql: [`query { userSessions(userId: ${unknownId}) { id } }`] },
  { graphql: [`mutation { endUserSessions(userId: ${unknownId}) { count } }`] },
  {
    graphql: [
      'query { siteEventKinds { name } }',
      'query { webhookDeliveries { totalCount } }',
      'subscription { siteEventCreated { missed } }',
    ],
    rest: ['GET /api/webhook/delivery'],
  },
  { graphql: ['query { webhookEndpoints { id } }'], rest: ['GET /api/webhook'] },
  {
    graphql: [
      'mutation { createWebhookEndpoint(input: { name: "", url: "" }) { secret } }',
      `mutation { updateWebhookEndpoint(input: { id: ${unknownId} }) { endpoint { id } } }`,
      `mutation { renewWebhookSecret(input: { id: ${unknownId} }) { secret } }`,
      `mutation { deleteWebhookEndpoint(id: ${unknownId}) { id } }`,
      `mutation { resendWebhook(id: ${unknownId}) { delivery { id } } }`,
      `mutation { resendWebhooks(input: { endpointId: ${unknownId} }) { count } }`,
      `mutation { testWebhook(id: ${unknownId}) { delivery { id } } }`,
    ],
    rest: [
      ['POST /api/webhook', { body: { name: '', url: '' } }],
      ['PUT /api/webhook', { body: { id: unknownId } }],
      ...['POST /api/webhook/:id/secret', 'DELETE /api/webhook/:id', 'POST /api/webhook/:id/test'],
      ...['POST /api/webhook/delivery/:id/send', 'POST /api/webhook/:id/resend'],
    ],
  },
  { graphql: ['query { alerts { unseenCount items { failedMessages { error } } } }'] },
  { graphql: ['mutation { markAlertsSeen(until: 0) { unseenCount } }'] },
  { graphql: ['mutation { sendTestAlert(target: MAIL) { target } }'] },
  {
    graphql: [
      'mutation { createBudget(input: { level: TOKEN, kind: MONEY, amount: 1, span: DAY }) { budget { id } } }',
      `mutation { updateBudget(input: { id: ${unknownId} }) { budget { id } } }`,
      `mutation { deleteBudget(id: ${unknownId}) { id } }`,
    ],
    rest: ['POST /api/budget', 'PUT /api/budget', 'DELETE /api/budget/:id'],
  },

  // Plans
  {
    graphql: ['query { plans { id } }', 'query { myPlans { id } }'],
    rest: ['GET /api/plan', 'GET /api/plan/self', 'GET /api/subscription/plans', 'GET /api/subscription/self'],
  },
  { graphql: [`query { planUpgrade(subscriptionId: ${unknownId}, planId: ${unknownId}) { price } }`] },
  {
    graphql: [
      `mutation { buyPlan(input: { planId: ${unknownId} }) { replayed } }`,
      `mutation { upgradePlan(input: { subscriptionId: ${unknownId}, planId: ${unknownId} }) { replayed } }`,
      `mutation { startPlanPayment(input: { planId: ${unknownId}, method: ALIPAY }) { replayed } }`,
      `mutation { setPlanRenewal(input: { id: ${unknownId}, renews: true }) { subscription { id } } }`,
    ],
    rest: [
      ['POST /api/plan/buy', { body: { plan_id: unknownId } }],
      ['POST /api/subscription/balance/pay', { body: { plan_id: unknownId } }],
      ['POST /api/plan/upgrade', { body: { subscription_id: unknownId, plan_id: unknownId } }],
      ['POST /api/plan/pay', { body: { plan_id: unknownId, payment_method: 'alipay' } }],
      ['PUT /api/plan/renewal', { body: { subscription_id: unknownId, renews: true } }],
    ],
  },
  { graphql: ['query { planSubscriptions { totalCount } }'], rest: ['GET /api/plan/subscription'] },
  {
    graphql: [
      'mutation { createPlan(input: { name: "", price: 0, periodUnit: DAY, periodCount: 1, windows: [] }) { replayed } }',
      `mutation { updatePlan(input: { id: ${unknownId} }) { plan { id } } }`,
      `mutation { deletePlan(id: ${unknownId}) { id } }`,
      `mutation { grantPlan(input: { userId: ${unknownId}, planId: ${unknownId} }) { replayed } }`,
      `mutation { refundPlan(input: { id: ${unknownId}, note: "x" }) { subscription { id } } }`,
      `mutation { stopPlanRenewal(input: { id: ${unknownId} }) { subscription { id } } }`,
    ],
    rest: [
      'POST /api/plan',
      ['PUT /api/plan', { body: { id: unknownId } }],
      'DELETE /api/plan/:id',
      ['POST /api/plan/grant', { body: { user_id: unknownId, plan_id: unknownId } }],
      ['POST /api/plan/renewal/stop', { body: { id: unknownId } }],
      ['POST /api/plan/refund', { body: { id: unknownId, note: 'x' } }],
    ],
  },

  // Redemption codes
  { graphql: ['mutation { redeem(input: { key: "" }) { __typename } }'], rest: ['POST /api/user/topup'] },
  {
    graphql: ['query { redemptions { totalCount } }'],
    rest: ['GET /api/redemption', 'GET /api/redemption/search'],
  },
  { least: 'admin', rest: ['GET /api/redemption/:id', 'GET /api/redemption/export'] },
  {
    least: 'admin',
    rest: [['GET /api/redemption/count-by-name', { query: 'name=none' }]],
  },
  {
    graphql: ['mutation { createRedemptions(input: { batch: "", quota: 0 }) { redemptions { id } } }'],
    rest: ['POST /api/redemption'],
  },
  {
    graphql: [
      `mutation { updateRedemption(input: { id: ${unknownId} }) { redemption { id } } }`,
      `mutation { enableRedemption(id: ${unknownId}) { redemption { id } } }`,
      `mutation { disableRedemption(id: ${unknownId}) { redemption { id } } }`,
    ],
    rest: [['PUT /api/redemption', { body: { id: unknownId } }]],
  },
  { graphql: [`mutation { deleteRedemption(id: ${unknownId}) { id } }`], rest: ['DELETE /api/redemption/:id'] },
  {
    graphql: ['mutation { deleteRedemptionBatch(batch: "none") { count } }'],
    rest: [['DELETE /api/redemption/delete-by-name', { query: 'name=none' }]],
  },
  {
    graphql: [`mutation { disableRedemptions(ids: [${unknownId}]) { done } }`],
    rest: [['PUT /api/redemption/batch-disable', { body: { ids: [unknownId] } }]],
  },
  {
    graphql: [
      `mutation { disableMatchingRedemptions(input: { ids: [${unknownId}] }) { count } }`,
      `mutation { deleteMatchingRedemptions(input: { ids: [${unknownId}] }) { count } }`,
    ],
  },
  {
    graphql: ['mutation { deleteDisabledRedemptions { count } }'],
    rest: ['DELETE /api/redemption/delete-disabled'],
  },

  // Keys and balances of users, for billing systems
  {
    graphql: [
      `mutation { createUserToken(input: { userId: ${unknownId}, name: "" }) { key } }`,
      `mutation { updateUserToken(input: { id: ${unknownId} }) { token { id } } }`,
      `mutation { rotateUserToken(input: { id: ${unknownId} }) { key } }`,
      `mutation { revokeUserToken(id: ${unknownId}) { id } }`,
    ],
    rest: [
      'GET /api/key',
      ['POST /api/key', { body: { user_id: unknownId, name: '' } }],
      ['PUT /api/key', { body: { id: unknownId } }],
      ['POST /api/key/:id/rotate', { body: {} }],
      'DELETE /api/key/:id',
    ],
  },
  { least: 'admin', rest: [['POST /api/user/:id/balance', { body: { amount: 1 } }]] },
  { least: 'admin', rest: ['GET /api/usage/total'] },
  // Sign-in providers that are rows
  {
    graphql: ['mutation { beginProviderSignIn(input: { slug: "none" }) { url } }'],
    rest: ['GET /api/oauth/provider/:slug'],
  },
  { graphql: ['query { boundSignInProviders { slug } }'] },
  { graphql: ['mutation { unbindSignInProvider(slug: "none") { bound { slug } } }'] },
  { graphql: ['query { signInProviders { id } }'], rest: ['GET /api/sign-in-provider'] },
  {
    graphql: [
      'mutation { createSignInProvider(input: { slug: "-", name: "x", oauthClientId: "x" }) { provider { id } } }',
      `mutation { updateSignInProvider(input: { id: ${unknownId} }) { provider { id } } }`,
      `mutation { deleteSignInProvider(id: ${unknownId}) { id } }`,
    ],
    rest: [
      ['POST /api/sign-in-provider', { body: { slug: '-', name: 'x', client_id: 'x' } }],
      ['PUT /api/sign-in-provider', { body: { id: unknownId } }],
      'DELETE /api/sign-in-provider/:id',
    ],
  },

  // Wallet
  {
    graphql: ['query { payableAmount(amount: 1) { amount } }'],
    rest: [['POST /api/user/amount', { body: { amount: 1 } }], 'GET /api/user/topup/info'],
  },
  {
    graphql: ['mutation { startTopUp(input: { amount: 1, method: WXPAY }) { form { url } } }'],
    rest: [['POST /api/user/pay', { body: { amount: 1, payment_method: 'wx' } }]],
  },
  { graphql: ['query { paymentMethods { method } }'] },
  { graphql: ['query { myTopUps { totalCount } }'], rest: ['GET /api/user/topup/self'] },
  {
    graphql: ['query { myStatements { totalCount } }'],
    rest: ['GET /api/statement/self'],
  },
  {
    graphql: ['query { statementPreview { closing } }'],
    rest: ['GET /api/statement/preview', 'GET /api/statement/preview/print', 'GET /api/statement/preview/pdf'],
  },
  {
    graphql: [`query { statement(id: ${unknownId}) { id } }`],
    rest: [
      ...['GET /api/statement/:id', 'GET /api/statement/:id/csv'],
      ...['GET /api/statement/:id/print', 'GET /api/statement/:id/pdf'],
    ],
  },
  { graphql: ['query { statements { totalCount } }'], rest: ['GET /api/statement'] },
  { graphql: ['query { statementMonths }'] },
  { least: 'admin', rest: ['GET /api/statement/export'] },
  { graphql: ['query { billingProfile { name } }'], rest: ['GET /api/statement/profile'] },
  {
    graphql: ['mutation { updateBillingProfile(input: {}) { profile { name } } }'],
    rest: [['PUT /api/statement/profile', { body: {} }]],
  },
  {
    graphql: [
      'query { topUps { totalCount } }',
      `query { topUpEvents(orderId: ${unknownId}) { at } }`,
      `query { topUpReversals(orderId: ${unknownId}) { id } }`,
    ],
    rest: ['GET /api/user/topup'],
  },
  { least: 'admin', rest: ['GET /api/payment/export'] },
  { graphql: [`mutation { markTopUpPaid(input: { id: ${unknownId}, note: "seen" }) { order { id } } }`] },
  {
    graphql: [`mutation { refundTopUp(input: { id: ${unknownId}, note: "asked" }) { confirmed } }`],
    rest: [['POST /api/payment/:id/refund', { body: { note: 'asked' } }]],
  },
  {
    graphql: [
      `mutation { settleTopUpRefund(input: { id: ${unknownId}, isMade: true, note: "seen" }) { order { id } } }`,
    ],
    rest: [['POST /api/payment/:id/refund/outcome', { body: { made: true, note: 'seen' } }]],
  },
  { graphql: ['query { revenue { orders } }'] },
  // A payment gateway, identified by its signature
  {
    least: 'anonymous',
    rest: ['epay', 'stripe'].flatMap((name) => [`GET /api/user/${name}/notify`, `POST /api/user/${name}/notify`]),
  },

  // Usage
  {
    graphql: ['query { myUsage { totalCount } }'],
    rest: [['GET /api/data/self', { query: 'start_timestamp=1&end_timestamp=2' }]],
  },
  {
    graphql: ['query { usage { totalCount } }'],
    rest: ['GET /api/data'],
  },

  // Statistics of the whole site
  { graphql: ['query { ledgerTotals { liability } }'] },
  { graphql: ['query { liveCalls { totalCount } }'] },
  { graphql: ['query { redemptionBatches { totalCount } }'] },
  { graphql: ['query { userGrowth { users } }'] },
  { graphql: ['query { credits { credited } }'] },
  { graphql: ['query { liabilities { liability } }'] },
  { graphql: ['query { lowBalances(below: 1) { totalCount } }'] },
  { graphql: ['query { channelRetries { passedOn } }'] },

  // Scheduled runs over all channels
  { graphql: [`mutation { clearChannelSessions(id: ${unknownId}) { count } }`] },
  { graphql: ['mutation { testAllChannels { startedAt } }'], rest: ['GET /api/channel/test'] },
  {
    graphql: [`mutation { updateChannelBalance(id: ${unknownId}) { channel { id } } }`],
    rest: ['GET /api/channel/update_balance/:id'],
  },
  {
    graphql: [`mutation { clearChannelCooldowns(input: { id: ${unknownId} }) { channel { id } } }`],
    rest: [
      'DELETE /api/channel/:id/cooldowns',
      ['POST /api/channel/multi_key/manage', { body: { channel_id: unknownId, action: 'enable_all_keys' } }],
    ],
  },
  { graphql: [`mutation { addChannelKeys(input: { id: ${unknownId}, keys: ["sk"] }) { channel { id } } }`] },
  {
    graphql: [`mutation { removeChannelKey(input: { id: ${unknownId}, position: 1, ending: "" }) { channel { id } } }`],
  },
  { graphql: ['mutation { updateAllChannelBalances { startedAt } }'], rest: ['GET /api/channel/update_balance'] },

  // Prices
  {
    graphql: ['query { priceVersions { totalCount } }', 'query { priceVersion(version: "") { version } }'],
  },
  { graphql: ['query { unpricedModels }'] },

  // Files
  { least: 'common', rest: ['GET /api/log/self/export', 'GET /api/data/self/export'] },
  { least: 'admin', rest: ['GET /api/log/export', 'GET /api/data/export'] },
  { least: 'root', rest: ['GET /api/audit/export'] },
];

/** The path of a route with an unknown id. */
export const pathOfUnknownId = (pattern: string): string => pattern.replace(':id', String(unknownId));

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'));

/**
 * The minimum role that the schema declares for a document with one root field; without `@access` the field is public.
 */
function leastOfDocument(document: string): Caller {
  const [, kind = '', name = ''] = /^(\w+)[^{]*\{\s*(\w+)/.exec(document) ?? [];
  const operation = Object.values(OperationTypeNode).find((one: string) => one === kind);
  const field = operation && schema.getRootType(operation)?.getFields()[name]?.astNode;
  if (!field) throw new Error(`the schema has no ${kind} ${name}`);
  const access = field.directives?.find((directive) => directive.name.value === 'access');
  const least = access?.arguments?.find((argument) => argument.name.value === 'least')?.value;
  return least?.kind === Kind.ENUM ? (least.value.toLowerCase() as Caller) : 'anonymous';
}

/**
 * The minimum role of an operation according to the schema.
 * @throws when the fields of one operation disagree
 */
export function leastOf({ least, graphql = [] }: Operation): Caller {
  const stated = new Set([...(least ? [least] : []), ...graphql.map(leastOfDocument)]);
  const [only] = stated;
  if (stated.size !== 1 || !only)
    throw new Error(`no single role for ${graphql.join(', ')}: ${[...stated].join(', ')}`);
  return only;
}
