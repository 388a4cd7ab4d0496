import { formatComponent, readComponents } from '../../shared/charge-lines.js';
import { asFields } from '../../shared/json.js';
import { chargeOfComponents, type Component } from './card-charge.js';
import { usdOfCost } from './channel-cost.js';
import {
  chargeOf,
  chargeOfAudio,
  chargeOfCall,
  chargeOfMessages,
  hourRatio,
  type CallPrice,
  type RatioPrice,
} from './charge.js';
import { cacheWriteRatio } from './model-ratios.js';
import { billion, whole, type Rounded } from './rounding.js';

/** The fields of a consume row that determine its charge. */
export interface ChargedRow {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Keys of docs/reference/relay/usage-log.md#the-other-field. */
  readonly other: Readonly<Record<string, unknown>>;
}

/** A recomputed price. */
interface ExplainedPrice {
  /** The formula's heading in docs/reference/relay/billing.md. */
  readonly formula: 'text' | 'messages' | 'audio' | 'images' | 'per call' | 'price card';
  /** The formula with its numbers. */
  readonly text: string;
  readonly charge: Rounded;
}

/** A recomputed charge. */
export interface ExplainedCharge extends Omit<ExplainedPrice, 'charge'> {
  /** It equals the row's unless one of them was changed later. */
  readonly quota: number;
}

const defaultQuotaPerUnit = 500_000;

/** Recomputes a charge from its log row alone. */
export function explainCharge(row: ChargedRow): ExplainedCharge {
  const { formula, text, charge } = explainPrice(row);
  const { uncharged_quota: uncharged, carried } = row.other;
  let explained: ExplainedCharge = { formula, text, quota: charge.quota };
  if (Array.isArray(carried)) explained = withCarried(explained, charge.rest, carried as [number, number]);
  return typeof uncharged === 'number'
    ? {
        formula,
        text: `${explained.text} - ${uncharged} that the balance did not have`,
        quota: explained.quota - uncharged,
      }
    : explained;
}

/** @param carried fractions of a unit in billionths, before and after the call; of a session the sums of its turns */
function withCarried(
  { formula, text, quota }: ExplainedCharge,
  rest: number,
  [before, after]: readonly [number, number],
): ExplainedCharge {
  const exact = quota + rest / billion;
  const carried = `${before / billion} carried from earlier calls - ${after / billion} carried on`;
  return { formula, text: `${text}\n  = ${exact} + ${carried}`, quota: quota + (rest + before - after) / billion };
}

/** The price of the call, whatever the balance had. */
function explainPrice(row: ChargedRow): ExplainedPrice {
  const number = (name: string, missing = 0): number => {
    const value = row.other[name];
    return typeof value === 'number' ? value : missing;
  };
  const quotaPerUnit = number('quota_per_unit', defaultQuotaPerUnit);
  const groupRatio = number('group_ratio', 1);
  const components = readComponents(row.other['components']);
  if (components) return explainCard(row, components, groupRatio, quotaPerUnit);
  if (number('model_price', -1) >= 0) return explainFixed(row, number('model_price'), groupRatio, quotaPerUnit);
  const price: RatioPrice = {
    kind: 'ratio',
    modelRatio: number('model_ratio'),
    completionRatio: number('completion_ratio', 1),
    cacheRatio: number('cache_ratio', 1),
    cacheWriteRatio: number('cache_creation_ratio', cacheWriteRatio),
    audioRatio: number('audio_ratio'),
    audioCompletionRatio: number('audio_completion_ratio'),
    groupRatio,
  };
  if (isAudio(row)) return explainAudio(row, price, number, quotaPerUnit);
  return explainTokens(row, price, number, quotaPerUnit);
}

/** Whether the call was priced by audio: an audio conversation, or all turns of a realtime session. */
const isAudio = ({ other }: ChargedRow): boolean => other['audio'] === true || other['ws'] === true;

type Read = (name: string, missing?: number) => number;

/** Work of another model in a call: the last lines of the row. */
interface OtherLines {
  readonly heading: string;
  readonly lines: number;
}

function otherLinesIn({ other }: ChargedRow): OtherLines | null {
  const drawn = asFields(other['drawn']);
  const note = drawn ?? asFields(other['advised']);
  const work = drawn ? 'images' : 'advice';
  return note && { heading: `${work}, by ${String(note['model'])}`, lines: Number(note['lines']) };
}

function explainCard(
  row: ChargedRow,
  components: Component[],
  groupRatio: number,
  quotaPerUnit: number,
): ExplainedPrice {
  const other = otherLinesIn(row);
  const { service_tier: tier } = row.other;
  const texts = components.map((component) => `\n  ${formatComponent(component)}`);
  if (other) texts.splice(texts.length - other.lines, 0, `\n  ${other.heading}:`);
  const lines = texts.join('');
  return {
    formula: 'price card',
    text: `round(the sum${typeof tier === 'string' ? `, in the tier ${tier},` : ''} of${lines || ' nothing'}\n) x ${quotaPerUnit} x group ${groupRatio}`,
    charge: chargeOfComponents(components, groupRatio, quotaPerUnit),
  };
}

function explainFixed(row: ChargedRow, modelPrice: number, groupRatio: number, quotaPerUnit: number): ExplainedPrice {
  const price: CallPrice = { kind: 'call', modelPrice, groupRatio };
  const usage = usageOf(row, () => 0);
  const product = `price ${modelPrice} x ${quotaPerUnit} x group ${groupRatio}`;
  if (row.other['task'] === true) {
    return { formula: 'per call', text: `trunc(${product})`, charge: whole(chargeOfCall(price, quotaPerUnit)) };
  }
  if (row.other['claude'] === true) {
    return { formula: 'messages', text: `trunc(${product})`, charge: chargeOfMessages(price, usage, quotaPerUnit) };
  }
  if (isAudio(row)) {
    return { formula: 'audio', text: `trunc(${product})`, charge: chargeOfMessages(price, usage, quotaPerUnit) };
  }
  const formula = row.other['image'] === true ? 'images' : 'text';
  return { formula, text: `round(${product})`, charge: chargeOf(price, usage, quotaPerUnit) };
}

function explainTokens(row: ChargedRow, price: RatioPrice, read: Read, quotaPerUnit: number): ExplainedPrice {
  const usage = usageOf(row, read);
  const { cachedTokens, cacheWriteTokens } = usage;
  const written1h = Math.min(usage.details?.cacheWrite1hTokens ?? 0, cacheWriteTokens);
  const sum = [
    `${usage.promptTokens - cachedTokens - cacheWriteTokens} prompt`,
    ...(cachedTokens > 0 ? [`${cachedTokens} cached x ${price.cacheRatio}`] : []),
    ...(cacheWriteTokens > written1h
      ? [`${cacheWriteTokens - written1h} written to the cache x ${price.cacheWriteRatio}`]
      : []),
    ...(written1h > 0 ? [`${written1h} written for an hour x ${hourRatio(price.cacheWriteRatio)}`] : []),
    `${usage.completionTokens} completion x ${price.completionRatio}`,
  ].join(' + ');
  const product = `(${sum}) x model ${price.modelRatio} x group ${price.groupRatio}`;
  const isMessages = row.other['claude'] === true;
  return {
    formula: isMessages ? 'messages' : 'text',
    text: `${isMessages ? 'trunc' : 'round'}(${product})`,
    charge: isMessages ? chargeOfMessages(price, usage, quotaPerUnit) : chargeOf(price, usage, quotaPerUnit),
  };
}

function explainAudio(row: ChargedRow, price: RatioPrice, read: Read, quotaPerUnit: number): ExplainedPrice {
  const usage = {
    textInputTokens: read('text_input'),
    textOutputTokens: read('text_output'),
    audioInputTokens: read('audio_input'),
    audioOutputTokens: read('audio_output'),
  };
  const sum = [
    `${usage.textInputTokens} text in`,
    `${usage.textOutputTokens} text out x ${price.completionRatio}`,
    `${usage.audioInputTokens} audio in x ${price.audioRatio}`,
    `${usage.audioOutputTokens} audio out x ${price.audioRatio} x ${price.audioCompletionRatio}`,
  ].join(' + ');
  return {
    formula: 'audio',
    text: `round((${sum}) x model ${price.modelRatio} x group ${price.groupRatio})`,
    charge: chargeOfAudio(price, usage, quotaPerUnit),
  };
}

const usageOf = (row: ChargedRow, read: Read): Parameters<typeof chargeOf>[1] => ({
  promptTokens: row.promptTokens,
  completionTokens: row.completionTokens,
  cachedTokens: read('cache_tokens'),
  cacheWriteTokens: read('cache_creation_tokens'),
  details: { cacheWrite1hTokens: read('cache_creation_1h_tokens') },
});

/**
 * The cost of a call, recomputed from its lines.
 * @returns null where the row has no cost
 */
export function explainCost({ other }: Pick<ChargedRow, 'other'>): string | null {
  const admin = (other['admin_info'] ?? {}) as Readonly<Record<string, unknown>>;
  const { upstream_cost: usd, cost_basis: basis = 'reported', cost_card: card, cost_factor: factor = 1 } = admin;
  if (typeof usd !== 'number') return null;
  if (basis === 'reported') return `Cost: ${usd} USD, as the provider reports it`;
  const components = readComponents(admin['cost_lines'] ?? other['components']) ?? [];
  const lines = components.map((component) => `\n  ${formatComponent(component)}`).join('');
  const source = basis === 'card' ? `cost card ${String(card)} of the channel` : `list price ${String(card)}`;
  const times = factor === 1 ? '' : ` x factor ${String(factor)}`;
  const found = usdOfCost(components, Number(factor));
  const differs = found === usd ? '' : `, which differs from the lines: ${found}`;
  return `Cost by ${source}: the sum of${lines || ' nothing'}\n${times} = ${usd} USD${differs}`;
}
