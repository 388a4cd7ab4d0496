import { optionText, parseOption, type OptionValues } from '../../options/option-registry.js';
import { PriceBook } from '../../billing/prices/index.js';
import { AppError } from '../../shared/errors.js';
import type { ToolQuantity } from '../../shared/price-card.js';
import { parseFields } from '../../shared/json.js';
import type { Accepting, Findings } from '../findings.js';
import { hasCacheTable, type Generation } from './generation.js';
import { aliasesOf, byUse, type Aliases, type ServedModel } from './served-calls.js';
import { priceTables, SitePrices } from './site-prices.js';
import type { PricesThere, SourcePrice } from './source-price.js';
import { toolFeesThere, toolPriceOption } from './tool-fees.js';

/** The prices that an import stores on this site, so that no call changes its price. */
export interface PricePlan {
  readonly generation: Generation;
  /** Options to store, as text. */
  readonly options: ReadonlyMap<string, string>;
  readonly values: OptionValues;
  /** Models that channels of the source serve. */
  readonly served: ReadonlySet<string>;
  readonly aliases: Aliases;
}

interface Planning {
  readonly generation: Generation;
  readonly options: ReadonlyMap<string, string>;
  readonly there: PricesThere;
  readonly calls: readonly ServedModel[];
  readonly findings: Findings;
  readonly decisions: Accepting;
}

/** Tables whose numbers determine what customers pay. */
const paidTables = [...priceTables, 'GroupRatio', 'TopupGroupRatio'] as const;

export const isPaidTable = (key: string): boolean => paidTables.some((one) => one === key);

/** Single numbers that determine what customers pay. */
export const paidNumbers: ReadonlySet<string> = new Set(['QuotaPerUnit', 'Price']);

export function planPrices({ generation, options, there, calls, findings, decisions }: Planning): PricePlan {
  const saved: { -readonly [Key in keyof OptionValues]?: OptionValues[Key] } = {};
  for (const key of paidTables) {
    const text = options.get(key);
    const table = text === undefined ? null : acceptedTable(key, text, { findings, decisions });
    if (table) Object.assign(saved, { [key]: table });
  }
  // one-api charges cached tokens in full, and the prices of one-hub have no table of cache ratios.
  if (!hasCacheTable(generation)) saved.CacheRatio = {};
  const quotaPerUnit = parsed('QuotaPerUnit', options.get('QuotaPerUnit') ?? '');
  if (quotaPerUnit !== null) saved.QuotaPerUnit = quotaPerUnit;
  const site = new SitePrices(saved);
  const { prices, refused } = pricesThere(there, calls, { findings, decisions });
  const { written, refused: unwritable } = site.adopt(prices);
  for (const [model, price] of prices) {
    const reason = unwritable.get(model);
    if (reason !== undefined) {
      const detail = `${describePrice(price)}: ${reason}`;
      findings.addDecision(decisions, 'price-refused', 'channels', model, detail);
    } else if (written.has(model)) findings.add('price-moved', 'channels', model, describePrice(price));
  }
  const tools = toolFeesOf({ generation, options, calls, findings }, site.values());
  const values = { ...site.values(), ...tools };
  const book = new PriceBook({ values });
  for (const model of refused) {
    if (book.isPriced(model)) findings.add('price-new', 'channels', model);
    else if (generation === 'one-api') findings.addDecision(decisions, 'model-refused', 'channels', model);
  }
  const texts = site.texts();
  for (const [key, value] of Object.entries(tools)) texts.set(key, optionText(key as keyof typeof tools, value));
  for (const key of ['GroupRatio', 'TopupGroupRatio'] as const) {
    if (saved[key]) texts.set(key, optionText(key, saved[key]));
  }
  const served = new Set(calls.map(({ requested }) => requested));
  return { generation, options: texts, values, served, aliases: aliasesOf(calls, generation) };
}

/**
 * Returns the options by which tools of providers cost what they cost in new-api and Veloera; none if they cost that here anyway.
 */
function toolFeesOf(
  { generation, options, calls, findings }: Pick<Planning, 'generation' | 'options' | 'calls' | 'findings'>,
  values: OptionValues,
): Partial<Pick<OptionValues, 'ToolPrices' | 'UnpricedTools'>> {
  const there = toolFeesThere(generation, options);
  const book = new PriceBook({ values });
  const models = [...new Set(calls.map(({ requested }) => requested))];
  for (const model of there || generation === 'one-hub' ? models : []) {
    if (book.find(model, '')?.isFree) findings.add('price-kind', 'channels', model, 'fees of tools: free here');
  }
  if (!there) return {};
  const differs = models.some((model) => {
    const here = book.find(model, '');
    return (
      here !== null &&
      !here.coversWork &&
      Object.entries(there.of(model)).some(([tool, usd]) => here.card.prices[tool as ToolQuantity] !== usd)
    );
  });
  for (const model of models) {
    for (const detail of there.unlike(model)) findings.add('price-kind', 'channels', model, detail);
  }
  if (models.some((model) => /^gpt-|^o\d/.test(model))) {
    const option = generation === 'new-api 2026' ? toolPriceOption : 'ToolPrices';
    for (const detail of there.general) findings.add('price-kind', 'options', option, detail);
  }
  // These programs forward tools that they have no price for.
  return differs ? { ToolPrices: there.table(), UnpricedTools: 'free' } : {};
}

type Deciding = Pick<Planning, 'findings' | 'decisions'>;

/**
 * Returns the price of each served model in the source. This product has one price per model: if channels of the source
 * differ, the price of the most used channel is taken.
 */
function pricesThere(
  source: PricesThere,
  calls: readonly ServedModel[],
  { findings, decisions }: Deciding,
): { readonly prices: ReadonlyMap<string, SourcePrice>; readonly refused: readonly string[] } {
  const prices = new Map<string, SourcePrice>();
  const refused = new Set<string>();
  for (const call of [...calls].sort(byUse)) {
    const price = source.of(call);
    const first = prices.get(call.requested);
    if (price === null) refused.add(call.requested);
    else if (!first) prices.set(call.requested, price);
    else if (call.isEnabled && describePrice(first) !== describePrice(price)) {
      const detail = `channel ${call.channel} charged ${describePrice(price)}; here every channel charges ${describePrice(first)}`;
      findings.addDecision(decisions, 'price-by-channel', 'channels', call.requested, detail);
    }
  }
  return { prices, refused: [...refused].filter((model) => !prices.has(model)) };
}

function describePrice(price: SourcePrice): string {
  if (price.kind === 'call') return `${price.usd} USD a call`;
  if (price.kind === 'card') return `price card ${JSON.stringify(price.card)}`;
  const { kind: _kind, model, ...factors } = price;
  return [`ratio ${model}`, ...Object.entries(factors).map(([name, factor]) => `${name} ${factor}`)].join(', ');
}

type PaidKey = (typeof paidTables)[number] | 'QuotaPerUnit';

/** Returns the entries that this site accepts. A refused entry does not remove the other entries. */
function acceptedTable<Key extends PaidKey>(
  key: Key,
  text: string,
  { findings, decisions }: Deciding,
): OptionValues[Key] | null {
  const whole = parsed(key, text);
  if (whole !== null) return whole;
  const fields = parseFields(text);
  if (!fields) {
    findings.addDecision(decisions, 'price-refused', 'options', key, 'is not a table');
    return null;
  }
  const accepted = Object.entries(fields).filter(([name, value]) => {
    const reason = refusalOf(key, JSON.stringify({ [name]: value }));
    if (reason !== null) findings.addDecision(decisions, 'price-refused', 'options', `${key}:${name}`, reason);
    return reason === null;
  });
  return parsed(key, JSON.stringify(Object.fromEntries(accepted)));
}

function parsed<Key extends PaidKey>(key: Key, text: string): OptionValues[Key] | null {
  return refusalOf(key, text) === null ? parseOption(key, text) : null;
}

function refusalOf(key: PaidKey, text: string): string | null {
  try {
    parseOption(key, text);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}
