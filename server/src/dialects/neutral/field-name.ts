import { AppError } from '../../shared/errors.js';
import type { Dialect } from './dialect.js';
import { asFields } from './fields.js';
import type { NeutralRequest } from './request.js';
import { threadLeftOut } from './thread.js';

type Names = Readonly<Record<Dialect, string>>;

const all = (name: string): Names => ({
  'openai-chat': name,
  'anthropic-messages': name,
  'gemini-generate': name,
  'openai-responses': name,
});

/**
 * Field names by dialect, for everything a provider may not support. Null or absent where the dialect has no such
 * field.
 */
const names = {
  count: { ...all('n'), 'gemini-generate': 'generationConfig.candidateCount' },
  temperature: { ...all('temperature'), 'gemini-generate': 'generationConfig.temperature' },
  topP: { ...all('top_p'), 'gemini-generate': 'generationConfig.topP' },
  topK: { ...all('top_k'), 'gemini-generate': 'generationConfig.topK' },
  seed: { ...all('seed'), 'gemini-generate': 'generationConfig.seed' },
  frequencyPenalty: { ...all('frequency_penalty'), 'gemini-generate': 'generationConfig.frequencyPenalty' },
  presencePenalty: { ...all('presence_penalty'), 'gemini-generate': 'generationConfig.presencePenalty' },
  logitBias: all('logit_bias'),
  logprobs: {
    ...all('logprobs'),
    'gemini-generate': 'generationConfig.responseLogprobs',
    'openai-responses': 'include',
  },
  topLogprobs: { ...all('top_logprobs'), 'gemini-generate': 'generationConfig.logprobs' },
  stop: {
    ...all('stop'),
    'anthropic-messages': 'stop_sequences',
    'gemini-generate': 'generationConfig.stopSequences',
  },
  maxOutput: {
    ...all('max_tokens'),
    'gemini-generate': 'generationConfig.maxOutputTokens',
    'openai-responses': 'max_output_tokens',
  },
  user: { ...all('user'), 'anthropic-messages': 'metadata.user_id' },
  serviceTier: all('service_tier'),
  verbosity: { ...all('verbosity'), 'openai-responses': 'text.verbosity' },
  parallelToolCalls: { ...all('parallel_tool_calls'), 'anthropic-messages': 'tool_choice.disable_parallel_tool_use' },
  toolChoice: { ...all('tool_choice'), 'gemini-generate': 'toolConfig' },
  tools: all('tools'),
  strict: { ...all('tools.function.strict'), 'anthropic-messages': 'tools.strict', 'openai-responses': 'tools.strict' },
  responseFormat: {
    'openai-chat': 'response_format',
    'anthropic-messages': 'output_config.format',
    'gemini-generate': 'generationConfig.responseMimeType',
    'openai-responses': 'text.format',
  },
  reasoning: {
    'openai-chat': 'reasoning_effort',
    'anthropic-messages': 'thinking',
    'gemini-generate': 'generationConfig.thinkingConfig',
    'openai-responses': 'reasoning',
  },
  reasoningHistory: {
    'openai-chat': 'messages.reasoning_content',
    'anthropic-messages': 'messages.thinking',
    'gemini-generate': 'contents.parts.thought',
    'openai-responses': 'input.reasoning',
  },
  cacheControl: all('cache_control'),
  name: all('messages.name'),
  detail: { ...all('image_url.detail'), 'openai-responses': 'input_image.detail' },
  modalities: { ...all('modalities'), 'gemini-generate': 'generationConfig.responseModalities' },
  instructions: {
    'openai-chat': 'messages',
    'anthropic-messages': 'system',
    'gemini-generate': 'systemInstruction',
    'openai-responses': 'instructions',
  },
  messages: { ...all('messages'), 'gemini-generate': 'contents', 'openai-responses': 'input' },
} satisfies Record<string, Names>;

export type FieldName = keyof typeof names;

/** The name of a field in a client's dialect, for errors and reports. */
export const fieldName = (dialect: Dialect, field: FieldName): string => names[field][dialect];

const chatFields: Readonly<Record<string, FieldName>> = {
  user: 'user',
  reasoning_effort: 'reasoning',
  tool_choice: 'toolChoice',
  parallel_tool_calls: 'parallelToolCalls',
};

/** The client's own name for a field of chat that the provider does not accept. */
export function chatFieldName(name: string, dialect: Dialect): string {
  const field = Object.hasOwn(chatFields, name) ? chatFields[name] : undefined;
  return field === undefined ? name : fieldName(dialect, field);
}

const aliases: Readonly<Record<string, FieldName>> = {
  max_completion_tokens: 'maxOutput',
  'reasoning.effort': 'reasoning',
  'output_config.effort': 'reasoning',
  think: 'reasoning',
};

/**
 * Returns the client's own name for a field of a provider of any dialect, or the same name if the client's dialect has
 * no such field.
 */
export function nameInDialect(name: string, dialect: Dialect): string {
  const found = (Object.keys(names) as FieldName[]).find((field) => Object.values(names[field]).includes(name));
  const field = found ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined);
  return field === undefined || names[field][dialect] === name ? name : names[field][dialect];
}

/**
 * The error for a meaningful field that this provider cannot express. The client sees it; another channel may support
 * the field.
 */
export const unsupported = (field: string, why: string): AppError =>
  new AppError('UNSUPPORTED_BY_CHANNEL', `${field} is not supported by the provider of this channel: ${why}`, {
    field,
  });

/**
 * Collects optional fields that the provider does not support, by the client's own names, so that nothing is left out
 * silently.
 */
export class Dropped {
  private readonly found = new Set<string>();

  constructor(readonly dialect: Dialect) {}

  /** Records `field` if it has a value. */
  hint(field: FieldName, value: unknown): void {
    if (value !== undefined) this.found.add(fieldName(this.dialect, field));
  }

  /** Records several fields at once. */
  hints(values: Readonly<Partial<Record<FieldName, unknown>>>): void {
    for (const [field, value] of Object.entries(values)) this.hint(field as FieldName, value);
  }

  /** Records fields by their names. */
  add(...fields: readonly string[]): void {
    for (const name of fields) this.found.add(name);
  }

  get names(): string[] {
    return [...this.found];
  }
}

/** Fields of a client's dialect without which the request would mean something else. */
const meaningful: Readonly<Record<Dialect, readonly string[]>> = {
  'openai-chat': ['web_search_options', 'plugins', 'search_parameters'],
  'anthropic-messages': ['mcp_servers', 'container', 'fallbacks', 'compaction'],
  'gemini-generate': ['cachedContent'],
  'openai-responses': ['previous_response_id', 'conversation', 'background', 'prompt'],
};

/** Drops cache hints, for providers that cache automatically or not at all. */
export function dropCacheMarks({ messages, tools }: NeutralRequest, dropped: Dropped): void {
  const marked =
    messages.some(({ parts }) => parts.some((part) => 'cacheControl' in part && part.cacheControl)) ||
    tools.some((tool) => tool.kind === 'function' && tool.cacheControl);
  if (marked) dropped.hint('cacheControl', true);
}

/**
 * Handles unknown top-level fields of another dialect: refused if they are meaningful, otherwise recorded as dropped.
 * @param carried names that the writer sends
 * @throws AppError UNSUPPORTED_BY_CHANNEL; RelayError thread_not_found
 */
export function dropExtras(request: NeutralRequest, dropped: Dropped, carried: ReadonlySet<string> = new Set()): void {
  if (request.dialect === 'anthropic-messages') threadLeftOut(request.extras);
  for (const [name, value] of Object.entries(request.extras)) {
    if (carried.has(name) || value === null || value === false || (Array.isArray(value) && value.length === 0))
      continue;
    if (name === 'generationConfig') {
      for (const inner of Object.keys(asFields(value) ?? {})) dropped.add(`${name}.${inner}`);
      continue;
    }
    if (name === 'prompt_cache_options' && asFields(value)?.['prewarm'] === true)
      throw unsupported(`${name}.prewarm`, 'it would generate a response');
    if (meaningful[request.dialect].includes(name) && asFields(value)?.['mode'] !== 'off')
      throw unsupported(name, 'it belongs to another dialect');
    dropped.add(name);
  }
}
