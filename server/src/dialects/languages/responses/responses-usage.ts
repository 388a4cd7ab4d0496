import { noUsage, usageDetails, type Usage, type UsageDetails } from '../../../shared/usage.js';
import { declaredTools } from '../../neutral/declared-tools.js';
import { asFields, asFieldsList, asText, type Fields, type Json } from '../../neutral/fields.js';
import { tokensOfImage } from '../../neutral/made-image.js';
import { gigabytesOf, pricedTools, type PricedTool } from '../../server-tools.js';
import { fromUsage, toCount, toUsage } from '../openai/usage.js';

/** Types of items that are calls of tools which OpenAI runs and charges. */
const toolCalls = new Map<unknown, PricedTool['counted']>(
  pricedTools.flatMap(({ calls, counted }) => calls.map((call) => [call, counted] as const)),
);

/**
 * Reads usage of Responses. Its counts have other names than in chat, and its tool calls are counted by the items of
 * the output.
 * @param response the whole response
 * @param isStreamed whether it came in events, which may include partial images
 * @returns null when no usage was reported
 */
export function toResponsesUsage(response: Fields, isStreamed = false): Usage | null {
  const usage = asFields(response['usage']);
  if (!usage) return null;
  const text = toUsage(
    {
      prompt_tokens: usage['input_tokens'],
      completion_tokens: usage['output_tokens'],
      total_tokens: usage['total_tokens'],
      prompt_tokens_details: usage['input_tokens_details'],
      completion_tokens_details: usage['output_tokens_details'],
      server_side_tool_usage_details: usage['server_side_tool_usage_details'],
      num_sources_used: usage['num_sources_used'],
      x_tools: usage['x_tools'],
      cost_in_usd_ticks: usage['cost_in_usd_ticks'],
    },
    response['service_tier'],
  );
  const report = asFields(asFields(response['tool_usage'])?.['image_gen']);
  const found = text && withDrawnImages(text, report, response, isStreamed);
  // xAI counts the calls of its tools itself. Counting their items would count them a second time.
  if (!found || found.details?.webSearches || asFields(usage['server_side_tool_usage_details'])) return found;
  const calls = toolCallsIn(response);
  return calls ? { ...found, details: { ...found.details, ...calls } } : found;
}

/**
 * Returns the tool calls in the finished items of a stream that is not complete.
 * @param items items as `toolItem` reduced them
 */
export function usageOfItems(items: readonly Fields[], tools: unknown): Usage {
  const response = { output: items, tools };
  const drawn = withUncountedImages(noUsage, response, true);
  const calls = toolCallsIn(response);
  return calls ? { ...drawn, details: { ...drawn.details, ...calls } } : drawn;
}

/** Returns an item without its content if it is a call of a tool that has a price; null for other items. */
export function toolItem(item: Fields | null): Fields | null {
  const isTool = item && (toolCalls.has(item['type']) || item['type'] === 'image_generation_call');
  if (!isTool) return null;
  const { type, status, action, container_id, environment, size, quality } = item;
  return { type, status, action, container_id, environment, size, quality };
}

/** Adds the tokens of images that OpenAI's own tool drew with another model, because the usage leaves them out. */
function withDrawnImages(usage: Usage, report: Fields | null, response: Fields, isStreamed: boolean): Usage {
  if (!report) return usage.details?.imageOutputTokens ? usage : withUncountedImages(usage, response, isStreamed);
  const [promptTokens, output] = [toCount(report['input_tokens']), toCount(report['output_tokens'])];
  if (promptTokens === 0 && output === 0) return usage;
  // A response that is not stored may omit its items.
  const images = asFieldsList(response['output']).filter(isDrawn).length || 1;
  const counted = usage.details?.imageOutputTokens;
  if (counted) {
    const ofImages = { completionTokens: counted, imageOutputTokens: counted, promptTokens: 0, imageInputTokens: 0 };
    return { ...usage, details: { ...usage.details, drawn: { images, ...ofImages } } };
  }
  const spent = asFields(report['output_tokens_details']);
  const shown = toCount(asFields(report['input_tokens_details'])?.['image_tokens']);
  const imageInputTokens = Math.min(shown, promptTokens);
  // Without details, all output is counted as image tokens.
  const imageOutputTokens = spent ? Math.min(toCount(spent['image_tokens']), output) : output;
  return {
    ...usage,
    promptTokens: toCount(usage.promptTokens + promptTokens),
    completionTokens: toCount(usage.completionTokens + output),
    ...usageDetails({
      ...usage.details,
      imageInputTokens: (usage.details?.imageInputTokens ?? 0) + imageInputTokens,
      imageOutputTokens,
      drawn: { images, promptTokens, imageInputTokens, completionTokens: output, imageOutputTokens },
    }),
  };
}

/**
 * Adds images whose tokens the provider does not report, with the token count that OpenAI publishes for their size and
 * quality.
 */
function withUncountedImages(usage: Usage, response: Fields, isStreamed: boolean): Usage {
  const items = asFieldsList(response['output']).filter(isDrawn);
  if (items.length === 0) return usage;
  const partialImages = isStreamed ? partialImagesOf(response) : 0;
  const counts = items.map(({ size, quality }) =>
    tokensOfImage({ size: asText(size), quality: asText(quality), partialImages }),
  );
  const imageOutputTokens = counts.reduce((sum, count) => sum + count, 0);
  const ofImages = { promptTokens: 0, imageInputTokens: 0, completionTokens: imageOutputTokens, imageOutputTokens };
  return {
    ...usage,
    completionTokens: toCount(usage.completionTokens + imageOutputTokens),
    details: { ...usage.details, imageOutputTokens, drawn: { images: items.length, ...ofImages } },
  };
}

/** Returns the number of partial images before each image of a stream. Providers repeat the tools of the request. */
const partialImagesOf = (response: Fields): number =>
  Math.max(0, ...declaredTools(response).map(({ tool }) => toCount(tool['partial_images'])));

const isDrawn = (item: Fields): boolean => item['type'] === 'image_generation_call' && item['status'] !== 'failed';

function toolCallsIn(response: Fields): UsageDetails | null {
  const searches = reportedSearches(response);
  let counts: Record<string, number> | null = searches ? { webSearches: searches } : null;
  // A container is charged once, regardless of how often code runs in it.
  const containers = new Set<unknown>();
  for (const item of asFieldsList(response['output'])) {
    const name = toolCalls.get(item['type']);
    if (!name || item['status'] === 'failed' || isNoSearch(item)) continue;
    if (name === 'webSearches' && searches !== undefined) continue;
    const isShell = item['type'] === 'shell_call';
    const container = (isShell ? asFields(item['environment']) : item)?.['container_id'];
    // Without a container the client runs the commands itself.
    if (isShell && container === undefined) continue;
    if (name === 'codeExecutions') {
      if (containers.has(container)) continue;
      containers.add(container);
    }
    counts ??= {};
    counts[name] =
      (counts[name] ?? 0) +
      (name === 'codeExecutions' ? memoryOf(response, isShell ? 'shell' : 'code_interpreter') : 1);
  }
  return counts;
}

/** Returns the memory of each container of a tool. */
function memoryOf(response: Fields, type: string): number {
  const tools = declaredTools(response).filter(({ tool }) => tool['type'] === type);
  return Math.max(1, ...tools.map(({ tool }) => gigabytesOf(tool)));
}

/** Returns the searches that the provider bills, some of which are free. Undefined if it does not report them. */
function reportedSearches(response: Fields): number | undefined {
  const searches = asFields(asFields(response['tool_usage'])?.['web_search'])?.['num_requests'];
  return typeof searches === 'number' ? toCount(searches) : undefined;
}

/** Whether an item opens a page that was found, or searches within it, which is not billed as a search. */
function isNoSearch(item: Fields): boolean {
  const action = asFields(item['action'])?.['type'];
  return action !== undefined && action !== 'search';
}

/** Usage in the shape that clients of Responses expect. */
export function fromResponsesUsage(usage: Usage): Json {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = fromUsage(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = asFields(prompt) ?? {};
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: cached, ...(written === undefined ? {} : { cache_write_tokens: written }) },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: asFields(completion)?.['reasoning_tokens'] },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
