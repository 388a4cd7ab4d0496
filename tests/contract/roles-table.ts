export type Caller = 'anonymous' | 'common' | 'admin' | 'root';
export const callers: readonly Caller[] = ['anonymous', 'common', 'admin', 'root'];

/** One thing that can be done, with the calls that do it on both skins, and the least role that may. */
export interface Operation {
  readonly least: Caller;
  /** A field with arguments that touch nobody's row: an id that nothing has, input that is refused after the role. */
  readonly graphql?: readonly string[];
  /** `METHOD /pattern`, then the query to send; bodies are `{}` unless given in `body`. */
  readonly rest?: ReadonlyArray<
    string | readonly [route: string, rest: { query?: string; body?: unknown; headers?: Record<string, string> }]
  >;
  /** The call uses up its caller (ends his session, deletes him): each gets one of his own. */
  readonly spends?: true;
  /** Root is refused by name: his account cannot be deleted. */
  readonly notRoot?: true;
}

const nobody = 999_999;

/**
 * Everything there is. `roles.test.ts` fails for a field of the schema or a route under `/api` that is missing here, and
 * for a row here that has gone there.
 */
export const operations: readonly Operation[] = [
  // what strangers may do
  { least: 'anonymous', graphql: ['query { status { version } }'], rest: ['GET /api/status'] },
  { least: 'anonymous', graphql: ['query { notice }'], rest: ['GET /api/notice'] },
  { least: 'anonymous', graphql: ['query { about }'], rest: ['GET /api/about'] },
  { least: 'anonymous', graphql: ['query { homePageContent }'], rest: ['GET /api/home_page_content'] },
  { least: 'anonymous', graphql: ['query { setup { status } }'], rest: ['GET /api/setup'] },
  { least: 'anonymous', graphql: ['mutation { completeSetup(input: {}) }'], rest: ['POST /api/setup'] },
  { least: 'anonymous', graphql: ['query { pricing { models { modelName } } }'], rest: ['GET /api/pricing'] },
  { least: 'anonymous', rest: ['GET /api/user/groups'] },
  {
    least: 'anonymous',
    graphql: ['mutation { login(input: { username: "nobody", password: "nothing" }) { id } }'],
    rest: ['POST /api/user/login'],
  },
  {
    least: 'anonymous',
    graphql: ['mutation { register(input: { username: "", password: "" }) }'],
    rest: ['POST /api/user/register'],
  },
  { least: 'anonymous', graphql: ['mutation { sendEmailCode(email: "") }'], rest: ['GET /api/verification'] },
  { least: 'anonymous', graphql: ['mutation { requestPasswordReset(email: "") }'], rest: ['GET /api/reset_password'] },
  { least: 'anonymous', graphql: ['mutation { resetPassword(email: "", token: "") }'], rest: ['POST /api/user/reset'] },
  {
    least: 'anonymous',
    graphql: ['mutation { beginSignIn(provider: GITHUB) { url } }'],
    rest: [
      ...['GET /api/oauth/state', 'GET /api/oauth/github', 'GET /api/oauth/oidc', 'GET /api/oauth/linuxdo'],
      // only our own pages may ask for these, and they say so
      ['GET /api/oauth/wechat', { headers: { 'veloera-user': '-1' } }],
      ['GET /api/oauth/telegram/login', { headers: { 'veloera-user': '-1' } }],
    ],
  },
  { least: 'anonymous', graphql: ['mutation { logout }'], rest: ['GET /api/user/logout'], spends: true },
  // null for a stranger
  { least: 'anonymous', graphql: ['query { me { id } }'] },

  // what is live
  { least: 'common', graphql: ['subscription { balanceChanged { quota } }'] },
  { least: 'common', graphql: ['subscription { myLogCreated { missed } }'] },
  { least: 'common', graphql: ['subscription { myDrawingChanged { missed } }'] },
  { least: 'common', graphql: ['subscription { myCreativeTaskChanged { missed } }'] },
  { least: 'admin', graphql: ['subscription { logCreated { missed } }'] },
  { least: 'admin', graphql: ['subscription { drawingChanged { missed } }'] },
  { least: 'admin', graphql: ['subscription { creativeTaskChanged { missed } }'] },
  { least: 'admin', graphql: ['subscription { channelChanged { missed } }'] },

  // one's own account
  { least: 'common', rest: ['GET /api/user/self'] },
  {
    least: 'common',
    graphql: ['mutation { updateMe(input: { password: "short" }) { id } }'],
    rest: [['PUT /api/user/self', { body: { password: 'short' } }]],
  },
  {
    least: 'common',
    graphql: ['mutation { deleteMe }'],
    rest: ['DELETE /api/user/self'],
    spends: true,
    notRoot: true,
  },
  { least: 'common', graphql: ['query { accessToken }'] },
  {
    least: 'common',
    graphql: ['mutation { renewAccessToken }'],
    rest: ['GET /api/user/token', 'POST /api/user/token'],
  },
  {
    least: 'common',
    graphql: [
      'mutation { bindEmail(email: "", code: "") }',
      'mutation { bindWechat(code: "") }',
      'mutation { unbindIdentity(identity: WECHAT) }',
    ],
    rest: ['GET /api/oauth/email/bind', 'GET /api/oauth/wechat/bind', 'GET /api/oauth/telegram/bind'],
  },
  { least: 'common', graphql: ['query { mySessions { id } }'] },
  { least: 'common', graphql: ['mutation { revokeSession(id: "none") }'] },
  { least: 'common', graphql: ['mutation { revokeOtherSessions }'] },
  { least: 'common', graphql: ['query { mySetting { notifyType } }'] },
  {
    least: 'common',
    graphql: ['mutation { updateMySetting(input: { notifyType: EMAIL, quotaWarningThreshold: 0 }) { notifyType } }'],
    rest: ['PUT /api/user/setting'],
  },
  { least: 'common', graphql: ['query { canCheckIn }'], rest: ['GET /api/user/check_in_status'] },
  { least: 'common', graphql: ['mutation { checkIn }'], rest: ['POST /api/user/check_in'] },
  { least: 'common', graphql: ['query { inviteCode }'], rest: ['GET /api/user/aff'] },
  {
    least: 'common',
    graphql: ['mutation { transferInviteQuota(quota: 1) }'],
    rest: ['POST /api/user/aff_transfer'],
  },
  { least: 'common', graphql: ['query { myGroups { name } }'], rest: ['GET /api/user/self/groups'] },
  { least: 'common', graphql: ['query { myModels }'], rest: ['GET /api/user/models'] },
  { least: 'common', rest: ['GET /api/models'] },

  // one's own tokens
  {
    least: 'common',
    graphql: ['query { myTokens { totalCount } }'],
    rest: ['GET /api/token', 'GET /api/token/search'],
  },
  { least: 'common', graphql: [`query { tokenKey(id: ${nobody}) }`], rest: ['GET /api/token/:id'] },
  {
    least: 'common',
    graphql: ['mutation { createToken(input: { name: "" }) { key } }'],
    rest: [['POST /api/token', { body: { name: '' } }]],
  },
  {
    least: 'common',
    graphql: [`mutation { updateToken(id: ${nobody}, input: {}) { id } }`],
    rest: [['PUT /api/token', { body: { id: nobody } }]],
  },
  { least: 'common', graphql: [`mutation { deleteToken(id: ${nobody}) }`], rest: ['DELETE /api/token/:id'] },

  // one's own log
  {
    least: 'common',
    graphql: ['query { myLogs { totalCount } }'],
    rest: ['GET /api/log/self', 'GET /api/log/self/search'],
  },
  { least: 'common', graphql: ['query { myLogStat { quota } }'], rest: ['GET /api/log/self/stat'] },

  // drawings and music
  { least: 'common', graphql: ['query { myDrawings { totalCount } }'], rest: ['GET /api/mj/self'] },
  { least: 'common', graphql: ['query { myCreativeTasks { totalCount } }'], rest: ['GET /api/task/self'] },
  { least: 'admin', graphql: ['query { drawings { totalCount } }'], rest: ['GET /api/mj'] },
  { least: 'admin', graphql: ['query { creativeTasks { totalCount } }'], rest: ['GET /api/task'] },
  { least: 'admin', graphql: [`query { drawingNotifyUrl(channelId: ${nobody}) }`] },
  { least: 'common', rest: [['GET /api/log/token', { query: 'key=sk-nothing' }]] },

  // users
  {
    least: 'admin',
    graphql: ['query { users { totalCount } }'],
    rest: ['GET /api/user', 'GET /api/user/search'],
  },
  { least: 'admin', graphql: [`query { user(id: ${nobody}) { id } }`], rest: ['GET /api/user/:id'] },
  {
    least: 'admin',
    graphql: ['mutation { createUser(input: { username: "", password: "" }) { id } }'],
    rest: ['POST /api/user'],
  },
  {
    least: 'admin',
    graphql: [`mutation { updateUser(id: ${nobody}, input: {}) { id } }`],
    rest: [['PUT /api/user', { body: { id: nobody } }]],
  },
  { least: 'admin', graphql: [`mutation { grantQuota(userId: ${nobody}, amount: 1) { id } }`] },
  {
    least: 'admin',
    graphql: [
      `mutation { setUserStatus(id: ${nobody}, status: 2) { id } }`,
      `mutation { setUserRole(id: ${nobody}, role: 10) { id } }`,
      `mutation { deleteUser(id: ${nobody}) }`,
    ],
    rest: [['POST /api/user/manage', { body: { id: nobody, action: 'delete' } }]],
  },
  { least: 'admin', graphql: [`mutation { removeUser(id: ${nobody}) }`], rest: ['DELETE /api/user/:id'] },

  // options and groups
  { least: 'admin', graphql: ['query { options { totalCount } }'], rest: ['GET /api/option'] },
  {
    least: 'admin',
    graphql: ['mutation { setOption(key: "RetryTimes", value: "0") { key } }'],
    rest: [['PUT /api/option', { body: { key: 'RetryTimes', value: '0' } }]],
  },
  { least: 'root', graphql: ['mutation { resetModelRatio }'], rest: ['POST /api/option/rest_model_ratio'] },
  { least: 'root', graphql: ['mutation { discoverOidc(wellKnown: "none") { tokenEndpoint } }'] },
  { least: 'admin', graphql: ['query { latestRelease { tag } }'] },
  { least: 'root', graphql: ['query { auditEntries { totalCount } }'] },
  { least: 'admin', graphql: ['query { groups }'], rest: ['GET /api/group'] },
  { least: 'admin', rest: ['GET /api/status/test'] },

  // channels
  {
    least: 'admin',
    graphql: ['query { channels { totalCount } }', 'query { channelHeads { totalCount } }'],
    rest: ['GET /api/channel', 'GET /api/channel/search'],
  },
  { least: 'admin', graphql: [`query { channel(id: ${nobody}) { id } }`], rest: ['GET /api/channel/:id'] },
  { least: 'admin', graphql: [`query { channelKey(id: ${nobody}) }`] },
  { least: 'admin', graphql: ['query { channelTypes { id } }'], rest: ['GET /api/channel/models'] },
  { least: 'admin', graphql: ['query { enabledModels }'], rest: ['GET /api/channel/models_enabled'] },
  {
    least: 'admin',
    graphql: ['mutation { createChannel(input: { type: 1, name: "", key: "", models: "" }) { id } }'],
    rest: ['POST /api/channel'],
  },
  {
    least: 'admin',
    graphql: [`mutation { updateChannel(id: ${nobody}, input: {}) { id } }`],
    rest: [['PUT /api/channel', { body: { id: nobody } }]],
  },
  { least: 'admin', graphql: [`mutation { deleteChannel(id: ${nobody}) }`], rest: ['DELETE /api/channel/:id'] },
  {
    least: 'admin',
    graphql: [`mutation { deleteChannels(ids: [${nobody}]) }`],
    rest: [['POST /api/channel/batch', { body: { ids: [nobody] } }]],
  },
  { least: 'admin', graphql: ['mutation { deleteDisabledChannels }'], rest: ['DELETE /api/channel/disabled'] },
  {
    least: 'admin',
    graphql: [`mutation { setChannelTag(ids: [${nobody}], tag: "none") }`],
    rest: [['POST /api/channel/batch/tag', { body: { ids: [nobody], tag: 'none' } }]],
  },
  {
    least: 'admin',
    graphql: ['mutation { setTagEnabled(tag: "none", enabled: true) }'],
    rest: [
      ['POST /api/channel/tag/enabled', { body: { tag: 'none' } }],
      ['POST /api/channel/tag/disabled', { body: { tag: 'none' } }],
    ],
  },
  {
    least: 'admin',
    graphql: ['mutation { updateChannelTag(tag: "none", input: {}) }'],
    rest: [['PUT /api/channel/tag', { body: { tag: 'none' } }]],
  },
  { least: 'admin', graphql: ['mutation { fixChannels }'], rest: ['POST /api/channel/fix'] },
  {
    least: 'admin',
    graphql: [`mutation { testChannel(id: ${nobody}) { success } }`],
    rest: ['GET /api/channel/test/:id'],
  },
  {
    least: 'admin',
    graphql: [`mutation { fetchUpstreamModels(input: { id: ${nobody} }) }`],
    rest: ['GET /api/channel/fetch_models/:id', 'POST /api/channel/fetch_models'],
  },

  // everybody's tokens and logs
  { least: 'admin', graphql: ['query { tokens { totalCount } }'] },
  {
    least: 'admin',
    graphql: ['query { logs { totalCount } }'],
    rest: ['GET /api/log', 'GET /api/log/search'],
  },
  { least: 'admin', graphql: ['query { logStat { quota } }'], rest: ['GET /api/log/stat'] },
  {
    least: 'admin',
    graphql: ['mutation { deleteLogs(before: "1970-01-02T00:00:00Z") }'],
    rest: [['DELETE /api/log', { query: 'target_timestamp=1' }]],
  },

  // redemption codes
  { least: 'common', graphql: ['mutation { redeem(key: "") { quota } }'], rest: ['POST /api/user/topup'] },
  {
    least: 'admin',
    graphql: ['query { redemptions { totalCount } }'],
    rest: ['GET /api/redemption', 'GET /api/redemption/search'],
  },
  { least: 'admin', graphql: [`query { redemption(id: ${nobody}) { id } }`], rest: ['GET /api/redemption/:id'] },
  {
    least: 'admin',
    graphql: ['query { redemptionCount(name: "none") }'],
    rest: [['GET /api/redemption/count-by-name', { query: 'name=none' }]],
  },
  {
    least: 'admin',
    graphql: ['mutation { createRedemptions(input: { name: "", quota: 0 }) }'],
    rest: ['POST /api/redemption'],
  },
  {
    least: 'admin',
    graphql: [
      `mutation { updateRedemption(id: ${nobody}, input: {}) { id } }`,
      `mutation { setRedemptionStatus(id: ${nobody}, status: 2) { id } }`,
    ],
    rest: [['PUT /api/redemption', { body: { id: nobody } }]],
  },
  { least: 'admin', graphql: [`mutation { deleteRedemption(id: ${nobody}) }`], rest: ['DELETE /api/redemption/:id'] },
  {
    least: 'admin',
    graphql: ['mutation { deleteRedemptionsByName(name: "none") }'],
    rest: [['DELETE /api/redemption/delete-by-name', { query: 'name=none' }]],
  },
  {
    least: 'admin',
    graphql: [`mutation { disableRedemptions(ids: [${nobody}]) }`],
    rest: [['PUT /api/redemption/batch-disable', { body: { ids: [nobody] } }]],
  },
  {
    least: 'admin',
    graphql: ['mutation { deleteDisabledRedemptions }'],
    rest: ['DELETE /api/redemption/delete-disabled'],
  },

  // the wallet
  {
    least: 'common',
    graphql: ['query { payableAmount(amount: 1) }'],
    rest: [['POST /api/user/amount', { body: { amount: 1 } }]],
  },
  {
    least: 'common',
    graphql: ['mutation { startTopUp(amount: 1, paymentMethod: "wx") { url } }'],
    rest: [['POST /api/user/pay', { body: { amount: 1, payment_method: 'wx' } }]],
  },
  { least: 'common', graphql: ['query { myTopUps { totalCount } }'] },
  { least: 'admin', graphql: ['query { topUps { totalCount } }'] },
  // a gateway, known by its signature
  { least: 'anonymous', rest: ['GET /api/user/epay/notify', 'POST /api/user/epay/notify'] },

  // usage
  {
    least: 'common',
    graphql: ['query { myUsage(groupBy: [DAY]) { totalCount } }', 'query { myUsageSummary { from } }'],
    rest: [['GET /api/data/self', { query: 'start_timestamp=1&end_timestamp=2' }]],
  },
  {
    least: 'admin',
    graphql: [
      'query { usage(groupBy: [DAY]) { totalCount } }',
      'query { usageSummary { from } }',
      'query { channelMargins { calls } }',
    ],
    rest: ['GET /api/data'],
  },

  // rounds over all channels
  { least: 'admin', graphql: ['mutation { testAllChannels }'], rest: ['GET /api/channel/test'] },
  {
    least: 'admin',
    graphql: [`mutation { updateChannelBalance(id: ${nobody}) }`],
    rest: ['GET /api/channel/update_balance/:id'],
  },
  { least: 'admin', graphql: ['mutation { updateAllChannelBalances }'], rest: ['GET /api/channel/update_balance'] },

  // prices
  {
    least: 'admin',
    graphql: ['query { priceVersions { totalCount } }', 'query { priceVersion(version: "") { tables } }'],
  },
  { least: 'admin', graphql: ['query { unpricedModels }'] },

  // files
  { least: 'common', rest: ['GET /api/log/self/export', 'GET /api/data/self/export'] },
  { least: 'admin', rest: ['GET /api/log/export', 'GET /api/data/export'] },
];

/** The path of a route with an id that nothing has. */
export const pathOfNobody = (pattern: string): string => pattern.replace(':id', String(nobody));
