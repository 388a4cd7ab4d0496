import { PriceBook } from '../billing/prices/index.js';
import { defaultOptionValues, isOptionKey, parseOption, type OptionValues } from '../options/option-registry.js';
import { splitList } from '../shared/comma-list.js';
import { parseFields } from '../shared/json.js';
import { foldedName } from '../shared/username.js';
import type { Findings } from './findings.js';
import type { Family } from './family.js';
import { readHeldPlans, readSoldPlans, type PlanReading } from './held-plans.js';
import { isEnabledApp, secretOf } from './map/factors.js';
import { heldAs, uniqueColumns } from './map/held-values.js';
import type { Decisions, MapContext, UserPlan } from './map/mapped.js';
import { keptOrders } from './map/orders.js';
import { pricedModels } from './map/options.js';
import { isActive } from './map/plans.js';
import { generationOf } from './prices/generation.js';
import { OneHubPrices } from './prices/one-hub-price.js';
import { planPrices, type PricePlan } from './prices/price-plan.js';
import { servedBy, servedColumns, type ServedModel } from './prices/served-calls.js';
import { SourcePrices } from './prices/source-price.js';
import { quotaPerUnitOf } from './quota-per-unit.js';
import type { Fields } from './source/fields.js';
import type { SourceDatabase } from './source/source.js';
import { readRows, rowsOf } from './source-rows.js';
import { readElsewhere } from './tables.js';

/** Reads the facts about the whole source that mappers need. */
export async function readContext(
  source: SourceDatabase,
  family: Family,
  findings: Findings,
  decisions: Decisions,
  { hasRoot, now }: { readonly hasRoot: boolean; readonly now: number },
): Promise<MapContext> {
  const options = new Map<string, string>();
  for await (const page of rowsOf(source, 'options')) {
    for (const row of page) options.set(row.text('key'), row.text('value'));
  }
  const orders: Fields[] = [];
  for await (const page of rowsOf(source, 'top_ups', ['id', 'trade_no', 'status'])) orders.push(...page);
  const plans = await readSoldPlans(source, quotaPerUnitOf(options), findings);
  const users = await planUsers(source, decisions, { hasRoot, now, findings, plans });
  const prices = await readPrices(source, family, options, { findings, decisions });
  return { family, findings, decisions, options, prices, users, plans, orders: keptOrders(orders), now };
}

/** Returns the prices of the models that channels of the source serve; null for LiteLLM. */
async function readPrices(
  source: SourceDatabase,
  family: Family,
  options: ReadonlyMap<string, string>,
  { findings, decisions }: Pick<MapContext, 'findings' | 'decisions'>,
): Promise<PricePlan | null> {
  const generation = generationOf(family, source);
  if (generation === null) return null;
  const calls: ServedModel[] = [];
  const read = (row: Fields): void => {
    calls.push(...servedBy(row, generation));
  };
  await readRows(source, 'channels', read, { columns: servedColumns });
  const there =
    generation === 'one-hub'
      ? new OneHubPrices(await source.all('prices'), quotaPerUnitOf(options))
      : new SourcePrices(generation, options);
  return planPrices({ generation, options, there, calls, findings, decisions });
}

/** The prices here, with which charges are compared. */
export interface PricesHere extends Pick<PricePlan, 'served' | 'aliases'> {
  readonly settings: OptionValues;
}

/** Returns the prices that an import stores. Those of LiteLLM are the ones of its file. */
export async function pricesToStore(
  source: SourceDatabase,
  { prices, options }: Pick<MapContext, 'prices' | 'options'>,
): Promise<PricesHere> {
  if (prices) return { settings: prices.values, served: prices.served, aliases: prices.aliases };
  const settings = defaultOptionValues();
  for (const [key, text] of options) if (isOptionKey(key)) Object.assign(settings, { [key]: parseOption(key, text) });
  const served = new Set<string>();
  const read = (row: Fields): void => {
    for (const model of splitList(row.text('models'))) served.add(model);
  };
  await readRows(source, 'channels', read, { columns: ['id', 'models'] });
  // The log of LiteLLM has the requested names.
  return { settings, served, aliases: new Map() };
}

async function planUsers(
  source: SourceDatabase,
  decisions: Decisions,
  { hasRoot, ...reading }: { readonly hasRoot: boolean } & PlanReading,
): Promise<UserPlan> {
  const ids = new Set<number>();
  const names = new Map<number, string>();
  const alike = new Map<string, number[]>();
  /** Unique value → the user who keeps it. */
  const holders = new Map<string, { id: number; isEnabled: boolean }>();
  const losers = new Set<string>();
  let rootId: number | null = null;
  const preferences = new Map<number, string>();
  const columns = ['id', 'username', 'role', 'status', 'deleted_at', 'setting', ...uniqueColumns];
  const read = (row: Fields): void => {
    const { id } = row;
    const isEnabled = row.whole('status', 1) === 1 && row.time('deleted_at') === null;
    const role = row.whole('role');
    ids.add(id);
    const name = row.code('username');
    names.set(id, name);
    const preference = parseFields(row.text('setting'))?.['billing_preference'];
    if (typeof preference === 'string' && !['', 'subscription_first'].includes(preference))
      preferences.set(id, preference);
    if (name !== '') alike.set(foldedName(name), [...(alike.get(foldedName(name)) ?? []), id]);
    if (role === 100 && isEnabled && !hasRoot) rootId ??= id;
    for (const column of uniqueColumns) {
      const value = row.code(column);
      if (value === '') continue;
      const key = heldAs(column, value);
      const holder = holders.get(key);
      if (!holder || (isEnabled && !holder.isEnabled)) {
        if (holder) losers.add(`${column}:${holder.id}`);
        holders.set(key, { id, isEnabled });
      } else losers.add(`${column}:${id}`);
    }
  };
  await readRows(source, 'users', read, { columns });
  return {
    ids,
    names,
    alike: new Set([...alike.values()].flatMap((users) => (users.length > 1 ? users : []))),
    losers,
    held: new Set(holders.keys()),
    rootId,
    checkIns: await readCheckIns(source, reading.findings),
    ...(await readHeldPlans(source, decisions, reading)),
    preferences,
    withApp: await readApps(source, decisions),
  };
}

/** Reads the users of new-api whose authenticator app is imported. */
async function readApps(source: SourceDatabase, { dropTwoFactor }: Decisions): Promise<Set<number>> {
  const users = new Set<number>();
  if (dropTwoFactor) return users;
  await readRows(source, 'two_fas', (row) => {
    if (isEnabledApp(row) && secretOf(row) !== null) users.add(row.whole('user_id'));
  });
  return users;
}

/** Reads the last check-ins of new-api, which has one row per day and user. */
async function readCheckIns(source: SourceDatabase, findings: Findings): Promise<Map<number, string>> {
  const days = new Map<number, string>();
  const read = (row: Fields): void => {
    const [day, user] = [row.time('checkin_date'), row.whole('user_id')];
    if (day !== null && day > (days.get(user) ?? '')) days.set(user, day);
  };
  await readRows(source, 'checkins', read, { findings });
  return days;
}

/** Reports findings about the source as a whole. */
export async function inspect(source: SourceDatabase, context: MapContext): Promise<void> {
  const { findings, decisions, now } = context;
  for (const { code, table, id, detail } of source.notes ?? []) {
    if (code === 'price-keys' || code === 'price-by-channel') findings.addDecision(decisions, code, table, id, detail);
    else findings.add(code, table, id, detail);
  }
  await readRows(source, 'two_fas', (row) => {
    if (!isEnabledApp(row)) return;
    if (decisions.dropTwoFactor) findings.add('second-factor-dropped', 'two_fas', row.whole('user_id'));
    else if (secretOf(row) === null) {
      findings.addDecision(decisions, 'second-factors', 'two_fas', `second-factor:${row.whole('user_id')}`);
    }
  });
  if (decisions.plans === 'refuse') {
    const read = (row: Fields): void => {
      if (isActive(row, now)) findings.add('plans', 'user_subscriptions', row.id);
    };
    await readRows(source, 'user_subscriptions', read, { findings });
  }
  const rules = source.columns.has('casbin_rule') ? (await source.all('casbin_rule')).length : 0;
  findings.count('admin-rules', 'casbin_rule', rules);
  if (source.engine === 'mysql') {
    findings.add('datetime-zone', 'users', '');
    findings.add('name-case', 'users', '');
  }
  await findUnpriced(source, context);
  await compareServed(source, context);
  for (const table of ['options', 'redemptions']) {
    if (!source.columns.has(table) && source.engine !== 'config') findings.add('table-missing', table, '');
  }
  for (const table of source.columns.keys()) {
    if (readElsewhere.has(table)) continue;
    const rows = Number((await source.one(table, 'COUNT(*) AS n'))['n'] ?? 0);
    if (rows > 0) findings.add('table-left-out', table, '', `${rows} rows`);
  }
}

/**
 * Reports models without a price. LiteLLM has built-in prices that its file does not contain; models without a price
 * cost the list price here, or are refused.
 */
async function findUnpriced(
  source: SourceDatabase,
  { findings, decisions, options, prices }: MapContext,
): Promise<void> {
  if (prices) return;
  const priced = pricedModels(options);
  const list = new PriceBook({ values: { ...defaultOptionValues(), ModelRatio: {}, ModelPrice: {} } });
  const seen = new Set<string>();
  const read = (row: Fields): void => {
    if (row.whole('status', 1) !== 1) return;
    for (const model of splitList(row.text('models'))) {
      if (priced.has(model) || seen.has(model)) continue;
      seen.add(model);
      const code = list.isPriced(model) ? 'model-without-price' : 'model-refused';
      findings.addDecision(decisions, code, 'channels', model, `channel ${row.id}`);
    }
  };
  await readRows(source, 'channels', read, { columns: ['id', 'models', 'status'] });
}

/**
 * Compares the source program's table of the models that its channels serve with the models that the channels list.
 * Calls are routed by the list here, so users notice a difference first.
 */
async function compareServed(source: SourceDatabase, { findings }: MapContext): Promise<void> {
  const there = new Set<string>();
  const add = (row: Fields): void => {
    if (row.flag('enabled')) there.add(`${row.whole('channel_id')}\n${row.text('group')}, ${row.text('model')}`);
  };
  await readRows(source, 'abilities', add);
  if (there.size === 0) return;
  const here = new Set<string>();
  const known = new Set<number>();
  const read = (row: Fields): void => {
    // Names with a prefix are composed for each call, so the table of the source does not contain them.
    if (row.text('model_prefix').trim() !== '') return;
    known.add(row.id);
    if (row.whole('status', 1) !== 1) return;
    const groups = splitList(row.text('group'));
    for (const group of groups.length > 0 ? groups : ['default']) {
      for (const model of splitList(row.text('models'))) here.add(`${row.id}\n${group}, ${model}`);
    }
  };
  await readRows(source, 'channels', read, { columns: ['id', 'group', 'models', 'status', 'model_prefix'] });
  const report = (served: string, where: string): void => {
    const [id = '', pair = ''] = served.split('\n');
    if (known.has(Number(id))) findings.add('model-served', 'abilities', id, `${pair}: ${where}`);
  };
  for (const served of there) if (!here.has(served)) report(served, 'only there');
  for (const served of here) if (!there.has(served)) report(served, 'only here');
}
