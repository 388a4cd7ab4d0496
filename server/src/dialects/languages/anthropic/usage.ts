import { whenTier, type Condition } from '../../../shared/price-condition.js';
import { usageDetails, type AdvisedTokens, type Usage } from '../../../shared/usage.js';
import { asFields, asFieldsList, someText, type Fields, type Json } from '../../neutral/fields.js';
import { toCount } from '../openai/usage.js';

const counted = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const;

/**
 * Reads Anthropic's usage, which counts the prompt without cache reads and writes. Inside the gateway, the prompt
 * includes them (docs/reference/providers/README.md#usage-normalization). Some calls consist of several model runs that
 * the totals omit; the runs are then added up.
 * @returns null when no usage was reported
 */
export function toClaudeUsage(raw: unknown): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  const rounds = asFieldsList(usage['iterations']);
  const [fresh = 0, read = 0, written = 0, output = 0] = counted.map((name) =>
    Math.max(
      toCount(usage[name]),
      rounds.reduce((sum, round) => sum + toCount(round[name]), 0),
    ),
  );
  const prompt = toCount(fresh + read + written);
  if (prompt === 0 && output === 0) return null;
  const thought = toCount(asFields(usage['output_tokens_details'])?.['thinking_tokens']);
  const written1h = Math.max(
    hourly(usage),
    rounds.reduce((sum, round) => sum + hourly(round), 0),
  );
  const when = conditionIn(usage);
  const tools = asFields(usage['server_tool_use']) ?? {};
  const searches = toCount(tools['web_search_requests']);
  // A container is charged by its time, at least five minutes. Together with searches and fetched pages it is free.
  const isFreeCode = searches > 0 || toCount(tools['web_fetch_requests']) > 0;
  const codeExecutions = toCount(tools['code_execution_requests']) > 0 && !isFreeCode ? 1 : 0;
  return {
    promptTokens: prompt,
    completionTokens: output,
    cachedTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: Math.min(thought, output),
    audioInputTokens: 0,
    audioOutputTokens: 0,
    ...(written1h > 0 || searches > 0 || codeExecutions > 0 || when || rounds.length > 0
      ? usageDetails({
          cacheWrite1hTokens: Math.min(written1h, written),
          webSearches: searches,
          codeExecutions,
          ...advisedIn(rounds),
          ...(when ? { when } : {}),
        })
      : {}),
  };
}

/** Anthropic charges more for its fast mode, and for requests that keep the model in the US. */
function conditionIn(usage: Fields): Condition | undefined {
  const isInUs = usage['inference_geo'] === 'us';
  if (usage['speed'] === 'fast') return isInUs ? { tier: 'fast', region: 'us' } : { tier: 'fast' };
  return whenTier(usage['service_tier']) ?? (isInUs ? { region: 'us' } : undefined);
}

/** Returns the runs of a model that the tool `advisor` asked. Anthropic bills them with the price of that model. */
function advisedIn(rounds: readonly Fields[]): { readonly advised?: AdvisedTokens } {
  const advice = rounds.filter(({ type }) => type === 'advisor_message');
  if (advice.length === 0) return {};
  const [fresh = 0, read = 0, written = 0, output = 0] = counted.map((name) =>
    toCount(advice.reduce((sum, round) => sum + toCount(round[name]), 0)),
  );
  const model = someText(advice[0]?.['model']);
  return {
    advised: {
      promptTokens: toCount(fresh + read + written),
      completionTokens: output,
      cachedTokens: read,
      cacheWriteTokens: written,
      ...(model ? { model } : {}),
    },
  };
}

/** Returns the tokens that were written to the cache for an hour instead of five minutes. */
const hourly = (usage: Fields): number => toCount(asFields(usage['cache_creation'])?.['ephemeral_1h_input_tokens']);

const promptFigures = new Set([
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
]);

const isZero = (value: unknown): boolean =>
  Object.values(asFields(value) ?? { value }).every((each) => toCount(each) === 0);

const outputFigures = new Set(['output_tokens', 'output_tokens_details']);

/**
 * Combines the usage of a stream's events, as `laterUsage` does. `message_delta` comes last and may correct
 * `message_start`. Hosts that count the prompt only at the beginning write zeros in it, so a 0 is a correction only
 * next to another count of the input. The output in `message_start` is a placeholder and is ignored. Tool calls are
 * counted as they appear, until they are reported.
 */
export class ClaudeUsage {
  private raw: Json = {};
  private readonly seen = new Map<string, number>();
  private reportsTools = false;

  /** Reads the usage, or the tool call, of one event. */
  add(event: Fields): void {
    const block = asFields(event['content_block']);
    if (block) return this.see(block);
    const usage = asFields(event['usage']) ?? asFields(asFields(event['message'])?.['usage']);
    if (!usage) return;
    const input = toCount(usage['input_tokens']);
    const corrects = input > 0 && input !== toCount(this.raw['input_tokens']);
    const isStart = event['type'] === 'message_start';
    const countsOutput = !isStart && !isZero(usage['output_tokens']);
    if (!isStart && asFields(usage['server_tool_use'])) this.reportsTools = true;
    for (const [name, value] of Object.entries(usage)) {
      if (value === null || (!corrects && promptFigures.has(name) && isZero(value))) continue;
      if (!countsOutput && outputFigures.has(name)) continue;
      this.raw[name] = value;
    }
  }

  /** A search that fails is not billed. */
  private see(block: Fields): void {
    const isFailed = asFields(block['content'])?.['type'] === 'web_search_tool_result_error';
    const name = isFailed ? 'web_search' : block['type'] === 'server_tool_use' ? block['name'] : undefined;
    const figure = toolFigures.get(name);
    if (figure) this.seen.set(figure, (this.seen.get(figure) ?? 0) + (isFailed ? -1 : 1));
  }

  usage(): Usage | null {
    if (this.reportsTools || this.seen.size === 0) return toClaudeUsage(this.raw);
    return toClaudeUsage({ ...this.raw, server_tool_use: Object.fromEntries(this.seen) });
  }
}

/** Counts in the report of tools, by the names of the tools that Anthropic runs. */
const toolFigures: ReadonlyMap<unknown, string> = new Map([
  ['web_search', 'web_search_requests'],
  ['web_fetch', 'web_fetch_requests'],
  ['code_execution', 'code_execution_requests'],
  ['bash_code_execution', 'code_execution_requests'],
  ['text_editor_code_execution', 'code_execution_requests'],
]);

/** Returns usage in the shape that clients of the Messages dialect expect. */
export function fromClaudeUsage(usage: Usage): Json {
  const { cacheWrite1hTokens = 0, webSearches, when } = usage.details ?? {};
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedTokens,
    ...(cacheWrite1hTokens > 0
      ? {
          cache_creation: {
            ephemeral_5m_input_tokens: usage.cacheWriteTokens - cacheWrite1hTokens,
            ephemeral_1h_input_tokens: cacheWrite1hTokens,
          },
        }
      : {}),
    output_tokens: usage.completionTokens,
    ...(webSearches ? { server_tool_use: { web_search_requests: webSearches } } : {}),
    ...(when?.tier === 'priority' || when?.tier === 'batch' ? { service_tier: when.tier } : {}),
  };
}
