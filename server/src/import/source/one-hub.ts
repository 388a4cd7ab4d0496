import { createHash } from 'node:crypto';
import { parseFields, asFields, asList, type Fields as Json } from '../../shared/json.js';
import type { Example, FindingCode } from '../findings.js';
import { Fields } from './fields.js';
import { overrideOfParameters } from './one-hub-parameters.js';
import { toolPricesThere } from './one-hub-tools.js';
import type { SourceDatabase } from './source.js';

type Row = Record<string, unknown>;
type Translate = (row: Row) => Row;

const defaultQuotaPerUnit = 500_000;

/** Options under their names in this product. */
const renamed: Readonly<Record<string, string>> = {
  LinuxDoOAuthEnabled: 'LinuxDOOAuthEnabled',
  LinuxDoClientId: 'LinuxDOClientId',
  LinuxDoClientSecret: 'LinuxDOClientSecret',
  OIDCAuthEnabled: 'oidc.enabled',
  OIDCClientId: 'oidc.client_id',
  OIDCClientSecret: 'oidc.client_secret',
  PaymentUSDRate: 'Price',
  PaymentMinAmount: 'MinTopUp',
  DisableChannelKeywords: 'AutomaticDisableKeywords',
};

/** Options of one-api that one-hub has replaced by its tables, and keeps in a database that it has taken over. */
const replacedByTables = new Set(['ModelRatio', 'ModelPrice', 'CompletionRatio', 'GroupRatio']);

/**
 * Offers a database of one-hub or done-hub in the tables and columns of new-api. What has no counterpart stays in its row, so
 * that it is reported. Channels keep their types, and `prices` keeps its form.
 */
export async function readOneHub(source: SourceDatabase): Promise<SourceDatabase> {
  const notes: Array<Example & { readonly code: FindingCode }> = [...(source.notes ?? [])];
  const options = await readOptions(source, notes);
  const quotaPerUnit = Number(options.get('QuotaPerUnit')) || defaultQuotaPerUnit;
  const gateways = new Map(
    (source.columns.has('payments') ? await source.all('payments') : []).map((row) => {
      const fields = new Fields(row);
      return [fields.text('id'), fields.text('type')];
    }),
  );
  const translations: Readonly<Record<string, Translate>> = {
    users: userOf,
    tokens: tokenOf,
    channels: channelOf,
    logs: (row) => logOf(row, quotaPerUnit),
    orders: (row) => orderOf(row, gateways),
  };
  const columns = new Map(source.columns);
  const ofOrders = columns.get('orders');
  columns.delete('orders');
  if (ofOrders) columns.set('top_ups', ofOrders);
  const nameThere = (table: string): string => (table === 'top_ups' ? 'orders' : table);
  return {
    engine: source.engine,
    notes,
    columns,
    async page(table, page) {
      const there = nameThere(table);
      const translate = translations[there];
      if (!translate) return source.page(there, page);
      const { columns: wanted, ...rest } = page;
      const logged = there === 'logs' && wanted ? { columns: [...wanted, 'request_time', 'metadata'] } : {};
      for (let { after } = page; ;) {
        const rows = await source.page(there, { ...rest, ...logged, after });
        const last = rows.at(-1);
        if (!last) return [];
        // A channel that was deleted stays in its table.
        const alive = there === 'channels' ? rows.filter((row) => new Fields(row).time('deleted_at') === null) : rows;
        if (alive.length > 0) return alive.map((row) => translate({ ...row }));
        after = Number(last['id']);
      }
    },
    async all(table) {
      if (table === 'options') return [...options].map(([key, value]) => ({ key, value }));
      const there = nameThere(table);
      const rows = await source.all(there);
      const translate = translations[there];
      return translate ? rows.map((row) => translate({ ...row })) : rows;
    },
    one: (table, select, where) => source.one(nameThere(table), select, where),
    close: () => source.close(),
  };
}

/** Returns the saved options, with those that one-hub keeps in its table of groups and in its program. */
async function readOptions(
  source: SourceDatabase,
  notes: Array<Example & { readonly code: FindingCode }>,
): Promise<Map<string, string>> {
  const options = new Map<string, string>();
  for (const row of source.columns.has('options') ? await source.all('options') : []) {
    const fields = new Fields(row);
    const key = fields.text('key');
    if (replacedByTables.has(key)) continue;
    options.set(renamed[key] ?? key, fields.text('value'));
  }
  const issuer = options.get('OIDCIssuer') ?? '';
  if (issuer !== '') {
    options.delete('OIDCIssuer');
    options.set('oidc.well_known', `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  }
  const groups = (await source.all('user_groups')).map((row) => new Fields(row));
  const ratios = groups.map((group) => [group.text('symbol'), group.decimal('ratio')]);
  const offered = groups.filter((group) => group.flag('public') && (!group.has('enable') || group.flag('enable')));
  options.set('GroupRatio', JSON.stringify(Object.fromEntries(ratios)));
  const names = offered.map((group) => [group.text('symbol'), group.text('name') || group.text('symbol')]);
  options.set('UserUsableGroups', JSON.stringify(Object.fromEntries(names)));
  options.set('ToolPrices', JSON.stringify(toolPricesThere));
  // one-hub forwards tools that it has no price for.
  options.set('UnpricedTools', 'free');
  for (const group of groups) {
    const symbol = group.text('symbol');
    const left = (name: string): number =>
      notes.push({ code: 'setting-unmapped', table: 'user_groups', id: symbol, detail: name });
    if (group.whole('api_rate') > 0) left(`api_rate ${group.whole('api_rate')}`);
    if (group.flag('promotion')) left('promotion');
    if (group.has('enable') && !group.flag('enable')) left('the group is disabled there, and serves its users here');
  }
  return options;
}

function userOf(row: Row): Row {
  const fields = new Fields(row);
  return {
    ...without(
      row,
      'created_time',
      'linuxdo_id',
      'linuxdo_username',
      'linuxdo_trust_level',
      'last_login_time',
      'last_login_ip',
    ),
    created_at: row['created_time'],
    telegram_id: numberOrNone(fields.text('telegram_id')),
    linux_do_id: numberOrNone(fields.text('linuxdo_id')),
  };
}

const numberOrNone = (text: string): string => (text === '0' ? '' : text);

function tokenOf({ setting, ...row }: Row): Row {
  const { heartbeat, limits, ...more } = jsonOf(setting);
  const ofModels = asFields(asFields(limits)?.['limit_model_setting']);
  const ofAddresses = asFields(asFields(limits)?.['limits_ip_setting']);
  const addresses = ofAddresses?.['enabled'] === true ? asList(ofAddresses['whitelist']).join('\n') : '';
  const left = { ...more, ...(asFields(heartbeat)?.['enabled'] === true ? { heartbeat: true } : {}) };
  return {
    ...row,
    model_limits_enabled: ofModels?.['enabled'] === true,
    model_limits: ofModels?.['enabled'] === true ? asList(ofModels['models']).join(',') : '',
    allow_ips: addresses,
    ...named('setting', left),
  };
}

function channelOf({ plugin, model_headers: headers, custom_parameter: custom, proxy, ...row }: Row): Row {
  const fields = new Fields({ ...row, model_headers: headers, proxy });
  const { use_openai_api: openAi, customize, ...plugins } = jsonOf(plugin);
  const parameters = jsonOf(custom);
  const mapping = Object.entries(parseFields(fields.text('model_mapping')) ?? {});
  const isBilledAsRequested = ([, name]: readonly [string, unknown]): boolean =>
    typeof name === 'string' && name.startsWith('+');
  const models = fields.text('models').split(',');
  const withoutStream = listOf(row['disabled_stream']);
  const stream = withoutStream.length > 0 && models.every((model) => withoutStream.includes(model.trim()));
  const key = fields.text('key').trim();
  const setting = {
    ...(fields.text('proxy').trim() === '' ? {} : { proxy: proxyOf(fields.text('proxy').trim(), key) }),
    ...(stream ? { stream_support: 'NON_STREAM_ONLY' } : {}),
  };
  const moved = ['allow_extra_body', 'pre_cost', 'deleted_at'];
  if (stream || withoutStream.length === 0) moved.push('disabled_stream');
  if (fields.decimal('cost_ratio') === 0) moved.push('cost_ratio');
  const enabled = Object.entries(plugins).filter(([, plugged]) => asFields(plugged)?.['enable'] === true);
  return {
    ...without(row, ...moved),
    ...formOf(fields.whole('type'), fields, key, asFields(customize)),
    ...(asFields(openAi)?.['enable'] === true ? { plugin: 'use_openai_api' } : {}),
    model_mapping:
      mapping.length === 0
        ? fields.text('model_mapping')
        : JSON.stringify(Object.fromEntries(mapping.map(([from, to]) => [from, withoutPlus(to)]))),
    billed_as_requested: mapping
      .filter(isBilledAsRequested)
      .map(([from]) => from)
      .join(','),
    header_override: Object.keys(jsonOf(headers)).length === 0 ? '' : fields.text('model_headers'),
    param_override: Object.keys(parameters).length === 0 ? '' : JSON.stringify(overrideOfParameters(parameters)),
    setting: Object.keys(setting).length === 0 ? '' : JSON.stringify(setting),
    // one-hub disables failing channels by one option for all of them.
    auto_ban: 1,
    ...named('plugin', Object.fromEntries<unknown>(enabled)),
  };
}

/** `+` before a mapped name means that the call costs what the requested name costs. */
const withoutPlus = (name: unknown): unknown => (typeof name === 'string' ? name.replace(/^\+/, '') : name);

/** `%s` in a proxy stands for a text by which the proxy tells channels apart. */
const proxyOf = (proxy: string, key: string): string =>
  proxy.replace('%s', createHash('md5').update(key).digest('hex'));

/** The paths of a custom channel, by the numbers of one-hub's endpoints. */
const endpoints: ReadonlyArray<readonly [number: string, name: string, path: string]> = [
  ['1', 'chat', '/v1/chat/completions'],
  ['2', 'completions', '/v1/completions'],
  ['3', 'embeddings', '/v1/embeddings'],
  ['4', 'moderations', '/v1/moderations'],
  ['5', 'images', '/v1/images/generations'],
  ['9', 'speech', '/v1/audio/speech'],
  ['10', 'transcription', '/v1/audio/transcriptions'],
  ['11', 'translation', '/v1/audio/translations'],
];
const zhipuVersion = '/api/paas/v4';

/** Returns the key, the address and the field `other` of a channel in the forms of this product. */
function formOf(type: number, row: Fields, key: string, customize: Json | null): Row {
  const base = row.text('base_url').trim().replace(/\/+$/, '');
  const other = row.text('other').trim();
  const [first = '', second = '', third = '', ...more] = key.split('|');
  switch (type) {
    case 8:
      return customize ? { other: endpointsOf(customize), plugin: 'customize' } : {};
    case 16: {
      if (base === '') return {};
      if (base.endsWith(zhipuVersion)) return { base_url: base.slice(0, -zhipuVersion.length) };
      const paths = endpoints.map(([number, , path]) => [number, path.replace('/v1', '')] as const);
      return { other: endpointsOf(Object.fromEntries<unknown>(paths)), plugin: 'customize' };
    }
    case 27:
      // The older API needs the group beside the key.
      return { base_url: base.replace(/\/v1$/, ''), key: first };
    case 32:
      return { key: third === '' ? `${second}|${first}` : [second, third, first, ...more].join('|') };
    case 35:
      return { key: second, other: first, base_url: base.replace(/\/client\/v4\/accounts\/%s\/ai\/run\/%s$/, '') };
    case 36:
      return { base_url: base.replace(/\/v1$/, '') };
    case 40:
      // The id of the application is in no signature.
      return { key: `0|${key}` };
    case 42:
      return { other: other.split('|')[0] ?? '' };
    default:
      return {};
  }
}

function endpointsOf(customize: Json): string {
  const paths = endpoints.flatMap(([number, name, usual]) => {
    const path = customize[number];
    if (path === 'disable') return [];
    return [[name, typeof path === 'string' && path !== '' ? path : usual] as const];
  });
  return JSON.stringify({ endpoints: Object.fromEntries<unknown>(paths) });
}

/** Returns a log row with the details that rows of new-api have. `components` has what no other detail says. */
function logOf({ request_time: time, metadata, ...row }: Row, quotaPerUnit: number): Row {
  const details = jsonOf(metadata);
  const number = (key: string): number => (typeof details[key] === 'number' ? details[key] : 0);
  if (Object.keys(details).length === 0) return { ...row, elapsed_time: time };
  const [input, output] = [number('input_ratio'), number('output_ratio')];
  const isCall = details['price_type'] === 'times';
  const group = details['is_backup_group'] === true ? details['backup_group_name'] : details['group_name'];
  const cached = number('cached_tokens') + number('cached_read_tokens');
  return {
    ...row,
    elapsed_time: time,
    group: typeof group === 'string' ? group : '',
    other: JSON.stringify({
      model_ratio: isCall ? 0 : input,
      completion_ratio: input > 0 ? Number((output / input).toPrecision(12)) : 0,
      model_price: isCall ? (1000 * input) / quotaPerUnit : -1,
      group_ratio: number('group_ratio'),
      ...(cached > 0 ? { cache_tokens: cached } : {}),
      ...(cached > 0 ? { cache_ratio: number('cached_tokens_ratio') || number('cached_read_tokens_ratio') } : {}),
      ...(number('cached_write_tokens') > 0 ? { cache_creation_tokens: number('cached_write_tokens') } : {}),
      ...(number('cached_write_1h_tokens') > 0 ? { cache_creation_tokens_1h: number('cached_write_1h_tokens') } : {}),
      ...(number('first_response') > 0 ? { frt: number('first_response') } : {}),
      ...linesOf(new Fields(row), details, quotaPerUnit),
    }),
  };
}

/** Details of a call that only price cards tell apart, with the quantities that they are. */
const quantities: ReadonlyArray<readonly [detail: string, quantity: string, of: 'input' | 'output']> = [
  ['cached_tokens', 'cachedInput', 'input'],
  ['cached_read_tokens', 'cachedInput', 'input'],
  ['cached_write_tokens', 'cacheWrite', 'input'],
  ['cached_write_1h_tokens', 'cacheWrite1h', 'input'],
  ['input_audio_tokens', 'audioInput', 'input'],
  ['input_image_tokens', 'imageInput', 'input'],
  ['reasoning_tokens', 'reasoning', 'output'],
  ['output_audio_tokens', 'audioOutput', 'output'],
  ['output_image_tokens', 'imageOutput', 'output'],
];

/** The tools that one-hub charges for, with the quantities that they are. */
const tools: Readonly<Record<string, string>> = {
  web_search_preview: 'webSearch',
  file_search: 'fileSearch',
  code_interpreter: 'codeExecution',
};

function linesOf(row: Fields, details: Json, quotaPerUnit: number): Json {
  const number = (key: string): number => (typeof details[key] === 'number' ? details[key] : 0);
  const usdAt = (ratio: number): number => Number(((ratio * 1_000_000) / quotaPerUnit).toPrecision(12));
  const ratios = { input: number('input_ratio'), output: number('output_ratio') };
  const rest = { input: row.whole('prompt_tokens'), output: row.whole('completion_tokens') };
  const found = quantities.filter(([detail]) => number(detail) > 0);
  const billed = Object.entries(asFields(details['extra_billing']) ?? {}).flatMap(([tool, given]) => {
    const { call_count: count, price } = asFields(given) ?? {};
    const quantity = tools[tool];
    return quantity !== undefined && typeof count === 'number' && typeof price === 'number'
      ? [[quantity, count, price] as const]
      : [];
  });
  if (details['price_type'] === 'times' || (found.length === 0 && billed.length === 0)) return {};
  const lines = found.map(([detail, quantity, of]) => {
    rest[of] -= number(detail);
    return [quantity, number(detail), usdAt(ratios[of] * number(`${detail}_ratio`))] as const;
  });
  return {
    components: [
      ['input', Math.max(0, rest.input), usdAt(ratios.input)],
      ...lines,
      ['output', Math.max(0, rest.output), usdAt(ratios.output)],
      ...billed,
    ],
    quota_per_unit: quotaPerUnit,
  };
}

function orderOf(
  { gateway_id: gateway, order_amount: money, order_currency: currency, created_at: created, ...row }: Row,
  gateways: ReadonlyMap<string, string>,
): Row {
  const type = gateways.get(new Fields({ gateway }).text('gateway')) ?? '';
  return {
    ...without(row, 'amount', 'gateway_no', 'fee', 'discount', 'updated_at'),
    money,
    currency,
    create_time: created,
    payment_provider: type,
    payment_method: type,
  };
}

const without = (row: Row, ...names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Returns the keys of an object as columns, so that those with a value are reported as left out. */
const named = (prefix: string, object: Json): Row =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [`${prefix}.${name}`, value]));

/** Reads a JSON column, which MySQL and Postgres return as an object. */
const jsonOf = (value: unknown): Json => asFields(value) ?? parseFields(new Fields({ value }).text('value')) ?? {};

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { list } = parseFields(`{"list":${new Fields({ value }).text('value') || '[]'}}`) ?? {};
  return asList(list);
}
