import { conditionOf, conditionText } from '../../shared/price-condition.js';
import { formatComponent, readComponents } from '../../shared/charge-lines.js';
import { asFields } from '../../shared/json.js';
import { chargeOfComponents, chargeOfUsage } from './card-charge.js';
import { type Component } from './card-lines.js';
import { usdOfCost } from './channel-cost.js';
import { hourRatio, priceOfCall, priceOfRatios, type Formula, type Ratios } from './compiled-price.js';
import { cacheWriteRatio } from './model-ratios.js';
import { billion, type Rounded } from './rounding.js';
import { loggedUsage, oneCall } from './table-usage.js';

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
  /** The recomputed charge. It differs from the row's when the row or a price was changed later. */
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
  const ratios: Ratios = {
    modelRatio: number('model_ratio'),
    completionRatio: number('completion_ratio', 1),
    cacheRatio: number('cache_ratio', 1),
    cacheWriteRatio: number('cache_creation_ratio', cacheWriteRatio),
    audioRatio: number('audio_ratio'),
    audioCompletionRatio: number('audio_completion_ratio'),
  };
  const formula = isAudio(row) ? 'audio' : row.other['claude'] === true ? 'messages' : 'text';
  const { cards } = priceOfRatios('', ratios, { groupRatio }, quotaPerUnit);
  const sum = formula === 'audio' ? sumOfAudio(row, ratios) : sumOfText(row, ratios);
  const rounding = formula === 'messages' ? 'trunc' : 'round';
  return {
    formula,
    text: `${rounding}((${sum}) x model ${ratios.modelRatio} x group ${groupRatio})`,
    charge: chargeOfUsage(cards[formula], loggedUsage(row, formula), groupRatio, quotaPerUnit),
  };
}

/** Whether the call was priced by audio: an audio conversation, or all turns of a realtime session. */
const isAudio = ({ other }: ChargedRow): boolean => other['audio'] === true || other['ws'] === true;

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
  const when = conditionOf(row.other['price_when']);
  const texts = components.map((component) => `\n  ${formatComponent(component)}`);
  if (other) texts.splice(texts.length - other.lines, 0, `\n  ${other.heading}:`);
  const lines = texts.join('');
  return {
    formula: 'price card',
    text: `round(the sum${when ? `, when ${conditionText(when)},` : ''} of${lines || ' nothing'}\n) x ${quotaPerUnit} x group ${groupRatio}`,
    charge: chargeOfComponents(components, groupRatio, quotaPerUnit),
  };
}

function explainFixed(row: ChargedRow, modelPrice: number, groupRatio: number, quotaPerUnit: number): ExplainedPrice {
  const formula = formulaOfFixed(row);
  const card = priceOfCall('', modelPrice, { groupRatio }).cards[formula];
  const usage = formula === 'task' ? oneCall : loggedUsage(row, 'text');
  const rounding = card.rounding === 'truncate' ? 'trunc' : 'round';
  const { quota, rest } = chargeOfUsage(card, usage, groupRatio, quotaPerUnit);
  return {
    formula: formula === 'task' ? 'per call' : formula,
    text: `${rounding}(price ${modelPrice} x ${quotaPerUnit} x group ${groupRatio})`,
    // Tasks carry no fraction, because a refund is in whole units.
    charge: { quota, rest: formula === 'task' ? 0 : rest },
  };
}

function formulaOfFixed(row: ChargedRow): Extract<Formula, 'task' | 'messages' | 'audio' | 'images' | 'text'> {
  const { other } = row;
  if (other['task'] === true) return 'task';
  if (other['claude'] === true) return 'messages';
  return isAudio(row) ? 'audio' : other['image'] === true ? 'images' : 'text';
}

function sumOfText(row: ChargedRow, ratios: Ratios): string {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, details } = loggedUsage(row, 'text');
  const written1h = Math.min(details?.cacheWrite1hTokens ?? 0, cacheWriteTokens);
  return [
    `${promptTokens - cachedTokens - cacheWriteTokens} prompt`,
    ...(cachedTokens > 0 ? [`${cachedTokens} cached x ${ratios.cacheRatio}`] : []),
    ...(cacheWriteTokens > written1h
      ? [`${cacheWriteTokens - written1h} written to the cache x ${ratios.cacheWriteRatio}`]
      : []),
    ...(written1h > 0 ? [`${written1h} written for an hour x ${hourRatio(ratios.cacheWriteRatio)}`] : []),
    `${completionTokens} completion x ${ratios.completionRatio}`,
  ].join(' + ');
}

function sumOfAudio(row: ChargedRow, { completionRatio, audioRatio, audioCompletionRatio }: Ratios): string {
  const { promptTokens, completionTokens, audioInputTokens, audioOutputTokens } = loggedUsage(row, 'audio');
  return [
    `${promptTokens - audioInputTokens} text in`,
    `${completionTokens - audioOutputTokens} text out x ${completionRatio}`,
    `${audioInputTokens} audio in x ${audioRatio}`,
    `${audioOutputTokens} audio out x ${audioRatio} x ${audioCompletionRatio}`,
  ].join(' + ');
}

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
