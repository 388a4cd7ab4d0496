/** The schemas of one-api, Veloera, new-api and one-hub, as GORM creates them. */

export type Engine = 'sqlite' | 'mysql' | 'postgres';
export type Family = 'one-api' | 'veloera' | 'new-api' | 'one-hub';

/** A field of a Go struct, by what GORM makes of it. */
type Kind = 'id' | 'int' | 'int32' | 'text' | 'name' | 'char48' | 'char32' | 'bool' | 'float' | 'time' | 'json';

const types: Record<Kind, Record<Engine, string>> = {
  id: {
    sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
    mysql: 'bigint AUTO_INCREMENT PRIMARY KEY',
    postgres: 'bigserial PRIMARY KEY',
  },
  int: { sqlite: 'integer', mysql: 'bigint', postgres: 'bigint' },
  int32: { sqlite: 'int', mysql: 'int', postgres: 'integer' },
  text: { sqlite: 'text', mysql: 'longtext', postgres: 'text' },
  name: { sqlite: 'text', mysql: 'varchar(191)', postgres: 'text' },
  char48: { sqlite: 'char(48)', mysql: 'char(48)', postgres: 'char(48)' },
  char32: { sqlite: 'char(32)', mysql: 'char(32)', postgres: 'char(32)' },
  bool: { sqlite: 'numeric', mysql: 'tinyint(1)', postgres: 'boolean' },
  float: { sqlite: 'real', mysql: 'double', postgres: 'numeric' },
  time: { sqlite: 'datetime', mysql: 'datetime(3)', postgres: 'timestamptz' },
  json: { sqlite: 'JSON', mysql: 'json', postgres: 'json' },
};

type Schema = Readonly<Record<string, string>>;

const userColumns = `id:id username:name password:text display_name:name role:int32 status:int32 email:name github_id:name
  wechat_id:name oidc_id:name access_token:char32 used_quota:int32 request_count:int32 group:name aff_code:name
  inviter_id:int32`;
const reseller = `aff_count:int32 aff_quota:int32 aff_history:int32 telegram_id:name linux_do_id:name setting:text deleted_at:time`;
const tokenColumns = `id:id user_id:int status:int name:name created_time:int accessed_time:int expired_time:int
  remain_quota:int unlimited_quota:bool used_quota:int`;
const resellerToken = `model_limits_enabled:bool model_limits:text allow_ips:text group:name deleted_at:time`;
const channelColumns = `id:id type:int key:text status:int name:name weight:int created_time:int test_time:int response_time:int
  base_url:text other:text balance:float balance_updated_time:int models:text group:name used_quota:int
  model_mapping:text priority:int`;
const resellerChannel = `openai_organization:text test_model:text status_code_mapping:text auto_ban:int other_info:text tag:name
  setting:text param_override:text`;
const logColumns = `id:id user_id:int created_at:int type:int content:text username:name token_name:name model_name:name quota:int
  prompt_tokens:int completion_tokens:int channel_id:int is_stream:bool`;
const codeColumns = `id:id user_id:int key:char32 status:int name:name quota:int created_time:int redeemed_time:int`;
const orders = `id:id user_id:int amount:int money:float trade_no:name create_time:int status:text`;
const drawings = `id:id code:int user_id:int action:name mj_id:name prompt:text prompt_en:text description:text state:text
  submit_time:int start_time:int finish_time:int image_url:text status:name progress:name fail_reason:text channel_id:int
  quota:int buttons:text properties:text`;
const tasks = `id:id created_at:int updated_at:int task_id:name platform:name user_id:int channel_id:int quota:int action:name
  status:name fail_reason:text submit_time:int start_time:int finish_time:int progress:name properties:json data:json`;
const quotaData = `id:id user_id:int username:name model_name:name created_at:int token_used:int count:int quota:int`;
const abilities = `group:name model:name channel_id:int enabled:bool priority:int weight:int`;

export const schemas: Readonly<Record<Family, Schema>> = {
  'one-api': {
    users: `${userColumns} lark_id:name quota:int`,
    tokens: `${tokenColumns} key:char48 models:text subnet:text`,
    channels: `${channelColumns} config:text system_prompt:text`,
    logs: `${logColumns} request_id:name elapsed_time:int system_prompt_reset:bool`,
    redemptions: codeColumns,
    options: 'key:name value:text',
    abilities,
  },
  veloera: {
    users: `${userColumns} ${reseller} quota:int32 last_check_in_time:time`,
    tokens: `${tokenColumns} ${resellerToken} key:char48`,
    channels: `${channelColumns} ${resellerChannel} model_prefix:text`,
    logs: `${logColumns} use_time:int token_id:int group:name other:text`,
    redemptions: `${codeColumns} used_user_id:int deleted_at:time is_gift:bool max_uses:int used_count:int valid_from:int valid_until:int`,
    redemption_logs: 'id:id redemption_id:int user_id:int used_time:int',
    options: 'key:name value:text',
    top_ups: orders,
    midjourneys: drawings,
    tasks,
    quota_data: quotaData,
    setups: 'id:id version:name initialized_at:int',
    abilities,
  },
  'new-api': {
    users: `${userColumns} ${reseller} quota:int discord_id:name created_at:int last_login_at:int remark:text stripe_customer:name`,
    tokens: `${tokenColumns} ${resellerToken} key:name cross_group_retry:bool`,
    channels: `${channelColumns} ${resellerChannel} header_override:text settings:text channel_info:json remark:text`,
    logs: `${logColumns} use_time:int token_id:int group:name ip:name other:text request_id:name`,
    redemptions: `${codeColumns} used_user_id:int deleted_at:time expired_time:int`,
    options: 'key:name value:text',
    top_ups: `${orders} payment_method:name payment_provider:name complete_time:int`,
    midjourneys: `${drawings} video_url:text video_urls:text`,
    tasks: `${tasks} group:name private_data:json`,
    quota_data: quotaData,
    checkins: 'id:id user_id:int checkin_date:name quota_awarded:int',
    two_fas: `id:id user_id:int secret:name is_enabled:bool failed_attempts:int locked_until:time last_used_at:time
      created_at:time updated_at:time deleted_at:time`,
    two_fa_backup_codes: 'id:id user_id:int code_hash:name is_used:bool used_at:time created_at:time deleted_at:time',
    passkey_credentials: `id:id user_id:int credential_id:text public_key:text attestation_type:name aaguid:text
      sign_count:int clone_warning:bool user_present:bool user_verified:bool backup_eligible:bool backup_state:bool
      transports:text attachment:name last_used_at:time created_at:time updated_at:time deleted_at:time`,
    // Tables of the source of 2026-08.
    subscription_plans: `id:id title:name subtitle:name price_amount:float currency:name duration_unit:name duration_value:int
      custom_seconds:int enabled:bool sort_order:int allow_balance_pay:bool allow_wallet_overflow:bool stripe_price_id:name
      creem_product_id:name waffo_pancake_product_id:name max_purchase_per_user:int upgrade_group:name downgrade_group:name
      total_amount:int quota_reset_period:name quota_reset_custom_seconds:int created_at:int updated_at:int`,
    user_subscriptions: `id:id user_id:int plan_id:int amount_total:int amount_used:int start_time:int end_time:int status:name
      source:name last_reset_time:int next_reset_time:int upgrade_group:name prev_user_group:name downgrade_group:name
      allow_wallet_overflow:bool created_at:int updated_at:int`,
    vendors: 'id:id name:name',
    setups: 'id:id version:name initialized_at:int',
    abilities,
  },
  'one-hub': {
    users: `${userColumns} quota:int lark_id:name avatar_url:text telegram_id:int linuxdo_id:int aff_count:int32 aff_quota:int
      aff_history:int last_login_time:int created_time:int deleted_at:time`,
    tokens: `${tokenColumns} key:name group:name backup_group:name setting:json deleted_at:time`,
    channels: `${channelColumns} model_headers:text custom_parameter:text proxy:text test_model:name only_chat:bool pre_cost:int
      compatible_response:bool allow_extra_body:bool cost_ratio:float disabled_stream:json plugin:json tag:name deleted_at:time`,
    logs: `${logColumns} request_time:int source_ip:name metadata:json`,
    redemptions: codeColumns,
    options: 'key:name value:text',
    prices: `model:name type:name channel_type:int input:float output:float locked:bool extra_ratios:json long_context:json`,
    user_groups: `id:id symbol:name name:name ratio:float api_rate:int public:bool promotion:bool min:int max:int enable:bool`,
    payments: 'id:id type:name uuid:char32 name:name currency:name config:text enable:bool',
    orders: `id:id user_id:int gateway_id:int trade_no:name gateway_no:name amount:int order_amount:float order_currency:name
      quota:int fee:float discount:float status:name created_at:int updated_at:int deleted_at:time`,
  },
};

const fieldsOf = (text: string): Array<readonly [string, Kind]> =>
  text
    .trim()
    .split(/\s+/)
    .map((field) => field.split(':') as [string, Kind]);

const kinds = new Map<string, ReadonlyMap<string, Kind>>();

/** The columns of a table, which are looked up for every value of every row. */
function kindsOf(text: string): ReadonlyMap<string, Kind> {
  const known = kinds.get(text) ?? new Map(fieldsOf(text));
  kinds.set(text, known);
  return known;
}

/** Statements that create the schema. */
export function createTables(family: Family, engine: Engine): string[] {
  const quote = engine === 'mysql' ? '`' : '"';
  return Object.entries(schemas[family]).map(([table, text]) => {
    const columns = fieldsOf(text).map(([name, kind]) => `${quote}${name}${quote} ${types[kind][engine]}`);
    return `CREATE TABLE ${quote}${table}${quote} (${columns.join(', ')})`;
  });
}

/** The value as its column takes it on this engine. */
export function literal(value: unknown, family: Family, table: string, column: string, engine: Engine): string {
  const kind = kindsOf(schemas[family][table] ?? '').get(column);
  if (!kind) throw new Error(`${family} has no column ${table}.${column}`);
  if (value === null || value === undefined) return 'NULL';
  if (kind === 'bool') return engine === 'postgres' ? String(Boolean(value)) : String(Number(Boolean(value)));
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const escaped = text.replaceAll("'", "''");
  return engine === 'mysql' ? `'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`;
}
