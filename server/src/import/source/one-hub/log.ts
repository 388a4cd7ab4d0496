import { asFields, someNumber, type Fields as Json } from '../../../shared/json.js';
import { exact } from '../../../shared/price-card.js';
import { usdOfRatio } from '../../quota-per-unit.js';
import { Fields } from '../fields.js';
import { jsonOf, type Row } from './rows.js';

/** Returns a log row with the details that rows of new-api have. `components` has what no other detail says. */
export function logOf({ request_time: time, metadata, ...row }: Row, quotaPerUnit: number): Row {
  const details = jsonOf(metadata);
  const number = (key: string): number => someNumber(details[key]) ?? 0;
  if (Object.keys(details).length === 0) return { ...row, elapsed_time: time };
  const [input, output] = [number('input_ratio'), number('output_ratio')];
  const isCall = details['price_type'] === 'times';
  const group = details['is_backup_group'] === true ? details['backup_group_name'] : details['group_name'];
  const cached = number('cached_tokens') + number('cached_read_tokens');
  const written = number('cached_write_tokens') + number('cached_write_1h_tokens');
  return {
    ...row,
    elapsed_time: time,
    group: typeof group === 'string' ? group : '',
    other: JSON.stringify({
      model_ratio: isCall ? 0 : input,
      completion_ratio: input > 0 ? exact(output / input) : 0,
      model_price: isCall ? (1000 * input) / quotaPerUnit : -1,
      group_ratio: number('group_ratio'),
      ...(cached > 0 ? { cache_tokens: cached } : {}),
      ...(cached > 0 ? { cache_ratio: number('cached_tokens_ratio') || number('cached_read_tokens_ratio') } : {}),
      // Here the total has the writes that last an hour, there it is beside them.
      ...(written > 0 ? { cache_creation_tokens: written } : {}),
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
  const number = (key: string): number => someNumber(details[key]) ?? 0;
  const usdAt = (ratio: number): number => usdOfRatio(ratio, quotaPerUnit);
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
