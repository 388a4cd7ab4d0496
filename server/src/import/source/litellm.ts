import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { defaultOptionValues } from '../../options/option-registry.js';
import { PriceDocumentError, readPriceDocument } from '../../billing/prices/index.js';
import { asFields, asList, type Fields } from '../../shared/json.js';
import type { PriceCard } from '../../shared/price-card.js';
import type { Example, FindingCode } from '../findings.js';
import { Fields as Columns } from './fields.js';
import { SourceError, type Page, type SourceDatabase, type SourceRow } from './source.js';

/** Providers of LiteLLM (the part of a model before `/`) → their channel type in this product. */
const types: Readonly<Record<string, number>> = {
  openai: 1,
  azure: 3,
  ollama: 4,
  ollama_chat: 4,
  anthropic: 14,
  openrouter: 20,
  gemini: 24,
  moonshot: 25,
  perplexity: 27,
  bedrock: 33,
  cohere: 34,
  cohere_chat: 34,
  vertex_ai: 41,
  mistral: 42,
  deepseek: 43,
  xai: 48,
  hosted_vllm: 62,
  text_completion_openai: 1,
};

/** Providers that speak OpenAI's dialect → their address. */
const addresses: Readonly<Record<string, string>> = {
  groq: 'https://api.groq.com/openai',
  together_ai: 'https://api.together.xyz',
  fireworks_ai: 'https://api.fireworks.ai/inference',
};

const unknownType = 50;
const quotaPerUsd = 500_000;
/** USD per token at ratio 1. */
const usdPerTokenAtRatio1 = 0.000_002;

interface Deployment {
  readonly model: string;
  readonly upstream: string;
  readonly type: number;
  readonly key: string;
  readonly baseUrl: string;
  readonly other: string;
  readonly weight: number;
  readonly status: number;
}

/** Environment variables that the configuration names. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface LiteLlmSource {
  /** Path of `config.yaml`. */
  readonly path: string;
  readonly environment: Environment;
  /** The database of the proxy with its virtual keys; null if it has none. */
  readonly keys: SourceDatabase | null;
  /** Creates the text of a new key from the digest of an old key. */
  readonly newKey: (digest: string) => string;
}

/** Collects findings until the run reads them. */
class Notes {
  readonly list: Array<Example & { readonly code: FindingCode }> = [];

  add(code: FindingCode, table: string, id: number | string, detail = ''): void {
    this.list.push({ code, table, id: String(id), detail });
  }
}

type Reading = LiteLlmSource & { readonly findings: Notes };

/**
 * Reads the models of a `config.yaml` as channels and prices, and the users, keys and budgets of the proxy's database, in the
 * tables and columns of new-api.
 * @throws SourceError for a file that is no such configuration
 */
export async function openLiteLlm(given: LiteLlmSource): Promise<SourceDatabase> {
  const source = { ...given, findings: new Notes() };
  const config = await readConfig(source.path);
  const models = asList(config['model_list']).map((model) => asFields(model) ?? {});
  if (models.length === 0) throw new SourceError(`${source.path} has no model_list: it is no config.yaml of LiteLLM.`);
  for (const key of ['router_settings', 'litellm_settings', 'mcp_servers', 'guardrails', 'environment_variables']) {
    for (const name of Object.keys(asFields(config[key]) ?? {})) {
      source.findings.add(changesPrices.has(name) ? 'price-keys' : 'setting-unmapped', key, name);
    }
  }
  const deployments = models.map((model, index) => deploymentOf(model, index, source));
  const people = source.keys ? await readPeople(source.keys, source) : { users: [], tokens: [] };
  return memory(
    new Map<string, SourceRow[]>([
      ['users', people.users],
      ['tokens', people.tokens],
      ['channels', channelsOf(deployments)],
      ['options', await pricesOf(models, source.findings)],
    ]),
    source,
  );
}

async function readConfig(path: string): Promise<Fields> {
  try {
    const config = asFields(parse(await readFile(path, 'utf8')));
    if (config) return config;
  } catch (error) {
    throw new SourceError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new SourceError(`${path} is no config.yaml of LiteLLM.`);
}

function deploymentOf(entry: Fields, index: number, { environment, findings }: Reading): Deployment {
  const parameters = asFields(entry['litellm_params']) ?? {};
  const name = textOf(entry['model_name']) || textOf(parameters['model']);
  const missing: string[] = [];
  /** `os.environ/NAME` refers to a variable. */
  const read = (key: string): string => {
    const text = textOf(parameters[key]);
    if (!text.startsWith('os.environ/')) return text;
    const variable = text.slice('os.environ/'.length);
    const value = environment[variable] ?? '';
    if (value === '') missing.push(variable);
    return value;
  };
  const [provider = '', ...rest] = textOf(parameters['model']).split('/');
  const hasProvider = rest.length > 0;
  const given = textOf(parameters['custom_llm_provider']) || (hasProvider ? provider : 'openai');
  const address = addresses[given];
  const type = address === undefined ? (types[given] ?? unknownType) : 1;
  const key = given === 'bedrock' ? awsKey(read) : read(given === 'vertex_ai' ? 'vertex_credentials' : 'api_key');
  const baseUrl = read('api_base').replace(/\/v1\/?$/, '') || (address ?? '');
  if (missing.length > 0) findings.add('key-environment', 'model_list', index + 1, `${name}: ${missing.join(', ')}`);
  for (const unknown of Object.keys(parameters).filter((one) => !known.has(one) && !isCost(one))) {
    findings.add('setting-unmapped', 'model_list', index + 1, `${name}: ${unknown}`);
  }
  return {
    model: name,
    upstream: hasProvider ? rest.join('/') : provider,
    type,
    key,
    baseUrl,
    other: type === 3 ? read('api_version') : type === 41 ? read('vertex_location') : '',
    weight: typeof parameters['weight'] === 'number' ? parameters['weight'] : 1,
    status: missing.length > 0 ? 2 : 1,
  };
}

/** Settings that change what all calls cost. */
const changesPrices = new Set(['cost_margin_config', 'cost_discount_config']);

const awsKey = (read: (key: string) => string): string =>
  `${read('aws_access_key_id')}|${read('aws_secret_access_key')}|${read('aws_region_name')}`;

const known = new Set([
  ...['model', 'api_key', 'api_base', 'api_version', 'custom_llm_provider', 'weight', 'vertex_credentials'],
  ...['vertex_location', 'vertex_project', 'aws_access_key_id', 'aws_secret_access_key', 'aws_region_name'],
]);

const isCost = (name: string): boolean => /(^|_)cost(_|$)/.test(name);
/** Costs that are ratios here. All others need a price card. */
const costsOfRatios = new Set(['input_cost_per_token', 'output_cost_per_token', 'cache_read_input_token_cost']);

/** Returns one channel per deployment. Weights balance deployments of the same model name. */
const channelsOf = (deployments: readonly Deployment[]): SourceRow[] =>
  deployments.map((one, index) => ({
    id: index + 1,
    type: one.type,
    name: `${one.model} ${index + 1}`,
    key: one.key,
    status: one.status,
    base_url: one.baseUrl,
    other: one.other,
    models: one.model,
    group: 'default',
    weight: one.weight,
    auto_ban: 1,
    model_mapping: one.upstream === one.model ? '' : JSON.stringify({ [one.model]: one.upstream }),
  }));

/** Returns the prices of models that configure their own. LiteLLM has built-in prices for all others. */
async function pricesOf(models: readonly Fields[], findings: Notes): Promise<SourceRow[]> {
  const ratios: Record<string, number> = {};
  const completions: Record<string, number> = {};
  const caches: Record<string, number> = {};
  const listed: Record<string, Fields> = {};
  for (const entry of models) {
    const name = textOf(entry['model_name']);
    const given = { ...asFields(entry['model_info']), ...asFields(entry['litellm_params']) };
    const costs = Object.entries(given).filter(([key, value]) => isCost(key) && costOf(value) >= 0);
    if (costs.some(([key]) => !costsOfRatios.has(key))) {
      const mode = textOf(given['mode']) || 'chat';
      listed[name] = { litellm_provider: 'openai', mode, ...Object.fromEntries<unknown>(costs) };
      continue;
    }
    const input = costOf(given['input_cost_per_token']);
    const output = costOf(given['output_cost_per_token']);
    const cached = costOf(given['cache_read_input_token_cost']);
    if (!(input > 0)) continue;
    ratios[name] = Number((input / usdPerTokenAtRatio1).toPrecision(12));
    if (output >= 0) completions[name] = Number((output / input).toPrecision(12));
    if (cached >= 0) caches[name] = Number((cached / input).toPrecision(12));
  }
  return [
    { key: 'ModelRatio', value: JSON.stringify(ratios) },
    { key: 'CompletionRatio', value: JSON.stringify(completions) },
    { key: 'CacheRatio', value: JSON.stringify({ ...defaultOptionValues().CacheRatio, ...caches }) },
    { key: 'PriceCards', value: JSON.stringify(await cardsOf(listed, findings)) },
  ];
}

/** Returns price cards for models whose costs are those of LiteLLM's own list of prices, with its names. */
async function cardsOf(listed: Readonly<Record<string, Fields>>, findings: Notes): Promise<Record<string, PriceCard>> {
  const cards: Record<string, PriceCard> = {};
  for (const [name, entry] of Object.entries(listed)) {
    try {
      const document = await readPriceDocument(Buffer.from(JSON.stringify({ [name]: entry })));
      const card = document.cards.get(name);
      if (card) cards[name] = card;
      for (const { reason } of document.skipped) findings.add('price-keys', 'model_list', name, reason);
    } catch (error) {
      if (!(error instanceof PriceDocumentError)) throw error;
      findings.add('price-keys', 'model_list', name, `the list of its costs ${error.message}`);
    }
  }
  return cards;
}

/** Returns a cost in USD; NaN if it is absent or null, because such a cost must not become a price of zero. */
const costOf = (value: unknown): number => Number(value ?? NaN);

/** Reads users and keys in the order of their creation, so that later ones get higher ids. */
async function readPeople(
  keys: SourceDatabase,
  { newKey, findings }: Reading,
): Promise<{ users: SourceRow[]; tokens: SourceRow[] }> {
  const rowsOf = async (table: string): Promise<SourceRow[]> => (keys.columns.has(table) ? keys.all(table) : []);
  await nameLeftOut(keys, findings);
  const found = byCreation(await rowsOf('LiteLLM_UserTable'), 'user_id');
  const budgets = new Map((await rowsOf('LiteLLM_BudgetTable')).map((row) => [textOf(row['budget_id']), row]));
  const teams = new Map((await rowsOf('LiteLLM_TeamTable')).map((row) => [teamName(textOf(row['team_id'])), row]));
  const byTeam = new Map([...teams.values()].map((row) => [textOf(row['team_id']), row]));
  const byUser = new Map(found.map((row) => [textOf(row['user_id']), row]));
  // The parameters of these models are encrypted with a key of the proxy, so they are reported instead.
  for (const row of await rowsOf('LiteLLM_ProxyModelTable')) {
    findings.add(
      'setting-unmapped',
      'LiteLLM_ProxyModelTable',
      textOf(row['model_name']),
      'stored in the database only',
    );
  }
  const virtual = byCreation(await keys.all('LiteLLM_VerificationToken'), 'token');
  const names = new Set([...found.map((row) => textOf(row['user_id'])), ...virtual.map(ownerOf)]);
  const ids = new Map([...names].map((name, index) => [name, index + 1]));
  const tokens = virtual.map((row, index) => {
    const digest = textOf(row['token']);
    const label = textOf(row['key_alias']) || textOf(row['key_name']) || `key ${index + 1}`;
    findings.add('key-hashed', 'LiteLLM_VerificationToken', index + 1, label);
    const team = byTeam.get(textOf(row['team_id']));
    if (!team && textOf(row['team_id']) !== '')
      findings.add('setting-unmapped', 'LiteLLM_VerificationToken', index + 1, `${label}: its team is missing`);
    const models = modelsOf(row, team, byUser.get(textOf(row['user_id'])));
    const left = remaining({
      ...row,
      max_budget: row['max_budget'] ?? budgets.get(textOf(row['budget_id']))?.['max_budget'],
    });
    return {
      id: index + 1,
      user_id: ids.get(ownerOf(row)),
      key: newKey(digest),
      name: label,
      status: row['blocked'] === true || team?.['blocked'] === true ? 2 : 1,
      expired_time: secondsOf(row['expires']) ?? -1,
      remain_quota: left ?? 0,
      unlimited_quota: left === null,
      used_quota: toQuota(row['spend']),
      created_time: secondsOf(row['created_at']) ?? 0,
      accessed_time: secondsOf(row['last_active']) ?? 0,
      model_limits: models?.join(',') ?? '',
      model_limits_enabled: models !== null,
    };
  });
  const users = [...ids].map(([name, id]) => {
    // Keys of a team that belong to no user get a new user with the budget of the team.
    const row = byUser.get(name) ?? teams.get(name) ?? {};
    const own = remaining(row);
    // A user without a budget gets the budgets of their keys.
    const ofKeys = tokens.filter((one) => one.user_id === id).reduce((sum, one) => sum + one.remain_quota, 0);
    if (own === null)
      findings.add('setting-unmapped', 'LiteLLM_UserTable', name, 'no budget: the balance is that of the keys');
    return {
      id,
      username: name,
      display_name: textOf(row['user_alias']),
      email: textOf(row['user_email']),
      role: row['user_role'] === 'proxy_admin' ? 10 : 1,
      status: 1,
      group: 'default',
      quota: own ?? ofKeys,
      used_quota: toQuota(row['spend']),
      request_count: 0,
      password: '',
      aff_code: '',
      created_at: secondsOf(row['created_at']) ?? 0,
    };
  });
  return { users, tokens };
}

/** Returns a list of models; null for all. */
const listOf = (names: string[]): string[] | null =>
  names.length === 0 || names.includes('all-proxy-models')
    ? null
    : names.filter((name) => name !== 'no-default-models');

/**
 * Returns the models that a key may use; null for all. Without models of its own a key has those of its team, or else of its
 * user. `all-team-models` is the list of the team, and none when the team is missing. A key never has more than its team.
 */
function modelsOf(key: SourceRow, team: SourceRow | undefined, user: SourceRow | undefined): string[] | null {
  const ofTeam = team ? listOf(textsOf(team['models'])) : null;
  const given = textsOf(key['models']);
  if (given.length === 0) return team ? ofTeam : listOf(textsOf(user?.['models']));
  const own = listOf(given);
  if (own === null || (team && ofTeam === null && own.includes('all-team-models'))) return ofTeam;
  const named = own.flatMap((name) => (name === 'all-team-models' ? (ofTeam ?? []) : [name]));
  // A pattern such as `openai/*` is compared by LiteLLM only.
  return ofTeam === null || ofTeam.some((name) => name.includes('*'))
    ? named
    : named.filter((name) => ofTeam.includes(name));
}

/** Columns of each table that are read, or say nothing that a site needs. */
const readColumns: Readonly<Record<string, ReadonlySet<string>>> = {
  LiteLLM_UserTable: new Set([
    ...['user_id', 'user_alias', 'user_email', 'user_role', 'spend', 'max_budget', 'models', 'teams', 'team_id'],
    ...['created_at', 'updated_at', 'model_spend'],
  ]),
  LiteLLM_TeamTable: new Set([
    ...['team_id', 'team_alias', 'spend', 'max_budget', 'models', 'blocked', 'admins', 'members', 'members_with_roles'],
    ...['created_at', 'updated_at', 'model_spend'],
  ]),
  LiteLLM_BudgetTable: new Set([
    ...['budget_id', 'max_budget', 'created_at', 'created_by', 'updated_at', 'updated_by'],
  ]),
  LiteLLM_VerificationToken: new Set([
    ...[
      'token',
      'key_name',
      'key_alias',
      'spend',
      'expires',
      'models',
      'user_id',
      'team_id',
      'max_budget',
      'budget_id',
    ],
    ...['blocked', 'created_at', 'created_by', 'updated_at', 'updated_by', 'last_active', 'model_spend'],
    'soft_budget_cooldown',
  ]),
  LiteLLM_ProxyModelTable: new Set(),
};

/** Tables that a site does not miss: state of jobs, sums of spend, and migrations. */
const withoutContent =
  /^(LiteLLM_(Daily\w+|CronJob|ErrorLogs|HealthCheckTable|UserNotifications|Deleted\w+)|_prisma_migrations)$/;

/** Names columns and tables with content that has no place here, such as limits of calls and tokens. */
async function nameLeftOut(keys: SourceDatabase, findings: Notes): Promise<void> {
  for (const table of keys.columns.keys()) {
    const read = readColumns[table];
    if (!read) {
      if (withoutContent.test(table)) continue;
      const rows = Number((await keys.one(table, 'COUNT(*) AS n'))['n'] ?? 0);
      if (rows > 0) findings.add('table-left-out', table, '', `${rows} rows`);
    } else if (table !== 'LiteLLM_ProxyModelTable') {
      const counts = new Map<string, number>();
      for (const row of await keys.all(table)) {
        for (const name of new Columns(row, new Set(read)).unread()) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      for (const [name, count] of counts) findings.add('column-left-out', table, name, `${count} rows`);
    }
  }
}

const ownerOf = (row: SourceRow): string =>
  textOf(row['user_id']) || (row['team_id'] ? teamName(textOf(row['team_id'])) : 'litellm');

const teamName = (id: string): string => `team-${id}`;

const byCreation = (rows: SourceRow[], key: string): SourceRow[] =>
  rows.toSorted(
    (a, b) =>
      (secondsOf(a['created_at']) ?? 0) - (secondsOf(b['created_at']) ?? 0) ||
      textOf(a[key]).localeCompare(textOf(b[key]), 'en'),
  );

const toQuota = (usd: unknown): number => Math.max(0, Math.round(Number(usd ?? 0) * quotaPerUsd) || 0);

/** Returns the rest of a budget; null if there is no budget. */
const remaining = (row: SourceRow): number | null =>
  row['max_budget'] === null || row['max_budget'] === undefined
    ? null
    : Math.round((Number(row['max_budget']) - Number(row['spend'] ?? 0)) * quotaPerUsd);

const secondsOf = (value: unknown): number | null =>
  value instanceof Date ? Math.floor(value.getTime() / 1000) : null;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const textsOf = (value: unknown): string[] => asList(value).map(textOf).filter(Boolean);

/** Offers rows in memory through the interface of a source database. */
function memory(tables: ReadonlyMap<string, SourceRow[]>, { keys, findings }: Reading): SourceDatabase {
  const rowsOf = (table: string): SourceRow[] => tables.get(table) ?? [];
  const columns = new Map(
    [...tables].map(([table]) => [table, new Set(table === 'options' ? ['key', 'value'] : ['id'])]),
  );
  return {
    engine: 'config',
    notes: [...findings.list, ...(keys?.notes ?? [])],
    columns,
    page: async (table, { after, limit }: Page) =>
      rowsOf(table)
        .filter((row) => Number(row['id']) > after)
        .slice(0, limit),
    all: async (table) => rowsOf(table),
    one: async (table) => ({ n: rowsOf(table).length }),
    close: async () => keys?.close(),
  };
}
