import { asFields, parseFields, type Fields } from '../../../shared/json.js';
import { LogType } from '../../../shared/log-type.js';
import type { SourceDatabase, SourceRow } from '../source.js';
import { quotaPerUsd, secondsOf, textOf } from './values.js';

const table = 'LiteLLM_SpendLogs';
/** Columns that are read; others contain prompts and responses. */
const columns = [
  ...['model', 'model_group', 'spend', 'prompt_tokens', 'completion_tokens', 'startTime', 'metadata', 'status'],
  'cache_hit',
];

/**
 * Reads the newest calls of LiteLLM's log, newest first, in the columns that new-api has in `logs`. Failed calls, and
 * calls that its own cache answered, cost nothing there and are left out.
 */
export async function newestCalls(keys: SourceDatabase, limit: number): Promise<SourceRow[]> {
  if (!keys.columns.has(table)) return [];
  const rows = await keys.newest(table, { by: 'startTime', limit, columns });
  return rows.filter((row) => row['status'] !== 'failure' && !/^true$/i.test(textOf(row['cache_hit']))).map(callOf);
}

function callOf(row: SourceRow): SourceRow {
  const metadata = fieldsOf(row['metadata']);
  const usage = { ...fieldsOf(metadata['additional_usage_values']), ...fieldsOf(metadata['usage_object']) };
  const [prompt, completion] = [countOf(row['prompt_tokens']), countOf(row['completion_tokens'])];
  return {
    type: LogType.consume,
    created_at: secondsOf(row['startTime']) ?? 0,
    model_name: textOf(row['model_group']) || textOf(row['model']),
    group: 'default',
    quota: Math.round(Number(row['spend'] ?? 0) * quotaPerUsd),
    prompt_tokens: prompt,
    completion_tokens: completion,
    other: JSON.stringify({
      ...pricesThen(metadata),
      ...quantitiesOf(usage, prompt, completion),
      // Images, speech and other calls without tokens: the row does not say how many pieces were charged.
      uncounted: prompt + completion === 0,
    }),
  };
}

/** Returns the prices by which LiteLLM charged the call: calls before a change of prices are not compared. */
function pricesThen(metadata: Fields): Fields {
  const prices = fieldsOf(fieldsOf(metadata['model_map_information'])['model_map_value']);
  return {
    model_ratio: prices['input_cost_per_token'],
    completion_ratio: prices['output_cost_per_token'],
    cache_ratio: prices['cache_read_input_token_cost'],
  };
}

/** Returns the details of a row of new-api. `components` has what only price cards tell apart. */
function quantitiesOf(usage: Fields, prompt: number, completion: number): Fields {
  const input = fieldsOf(usage['prompt_tokens_details']);
  const output = fieldsOf(usage['completion_tokens_details']);
  const written = fieldsOf(input['cache_creation_token_details']);
  const cached = countOf(usage['cache_read_input_tokens']) || countOf(input['cached_tokens']);
  const writes = countOf(usage['cache_creation_input_tokens']) || countOf(input['cache_creation_tokens']);
  const longWrites = Math.min(writes, countOf(written['ephemeral_1h_input_tokens']));
  const searches =
    countOf(fieldsOf(usage['server_tool_use'])['web_search_requests']) || countOf(input['web_search_requests']);
  const ofInput = [
    ['cachedInput', cached],
    ['cacheWrite', writes - longWrites],
    ['cacheWrite1h', longWrites],
    ['audioInput', countOf(input['audio_tokens'])],
    ['imageInput', countOf(input['image_tokens'])],
  ] as const;
  const ofOutput = [
    ['reasoning', countOf(output['reasoning_tokens'])],
    ['audioOutput', countOf(output['audio_tokens'])],
    ['imageOutput', countOf(output['image_tokens'])],
  ] as const;
  const sum = (parts: ReadonlyArray<readonly [string, number]>): number =>
    parts.reduce((total, [, count]) => total + count, 0);
  const components = [
    ['input', Math.max(0, prompt - sum(ofInput))],
    ...ofInput,
    ['output', Math.max(0, completion - sum(ofOutput))],
    ...ofOutput,
    ['webSearch', searches],
  ] as const;
  return {
    cache_tokens: cached,
    cache_creation_tokens: writes,
    cache_creation_tokens_1h: longWrites,
    // A row without searches says that there were none.
    components: components.flatMap(([quantity, count]) =>
      count > 0 || quantity === 'webSearch' ? [[quantity, count, 0]] : [],
    ),
  };
}

/** Reads a JSON column, which drivers return as an object or as text. */
const fieldsOf = (value: unknown): Fields =>
  asFields(value) ?? (typeof value === 'string' ? parseFields(value) : null) ?? {};

const countOf = (value: unknown): number => Math.max(0, Math.trunc(Number(value ?? 0)) || 0);
