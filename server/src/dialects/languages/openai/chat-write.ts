import type { Dialect } from '../../neutral/dialect.js';
import type { ProviderCodec, WrittenRequest } from '../../neutral/codec.js';
import { Dropped, dropExtras, unsupported } from '../../neutral/field-name.js';
import {
  isOff,
  type NeutralRequest,
  type NeutralTool,
  type Reasoning,
  type ToolChoice,
} from '../../neutral/request.js';
import { ofEachObject } from '../../../shared/of-each-object.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
import { nestedFormat } from './custom-format.js';
import { effortFor, refusesEffort } from './efforts.js';
import { readChatAnswer } from './chat-read.js';
import { ChatStreamReader } from './chat-stream-reader.js';
import { writeMessages } from './chat-write-messages.js';
import { mentioningJson } from './json-instruction.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { withProviderSearch, type ProviderSearch, type WebSearch } from '../../neutral/web-search.js';
import { canBeStrict } from '../../neutral/strict-schema.js';
import { oneObject, withItems } from '../../neutral/tool-schema.js';
import { only, type Fields, type Json } from '../../neutral/fields.js';

/** Differences of one provider of chat completions. */
export interface ChatProviderOptions {
  /** OpenAI itself refuses `top_k`; many compatible providers accept it. */
  readonly takesTopK?: boolean;
  /** Field of an assistant message that keeps its thoughts. Missing: the provider refuses thoughts in the history. */
  readonly reasoningHistory?: 'reasoning_content' | 'reasoning' | undefined;
  /** Fields that turn off the thinking of the model, which thinks by default. */
  readonly thinkingOff?: Fields | undefined;
  /** The name of the search tool (`Accepts.searchTool`). */
  readonly searchTool?: string | undefined;
}

/** The codec of chat completions for providers. */
export const chatProvider = (options: ChatProviderOptions = {}): ProviderCodec => ({
  dialect: 'openai-chat',
  write: (request) => writeChatRequest(request, options),
  read: readChatAnswer,
  openReader: () => new ChatStreamReader(),
});

/** Fields common to Responses and chat. */
const sharedWithResponses = new Set([
  'metadata',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
]);

function writeChatRequest(given: NeutralRequest, options: ChatProviderOptions): WrittenRequest {
  const own = given.dialect === 'openai-chat';
  const dropped = new Dropped(given.dialect);
  const { searchTool } = options;
  const searching = searchTool ? withProviderSearch(given, dropped, (wanted) => searchOf(searchTool, wanted)) : given;
  const request = runnableTools(
    searching,
    dropped,
    (tool) => tool.kind !== 'builtin' || tool.dialect === 'openai-chat',
  );
  const { sampling, stop, reasoning } = request;
  const carried = own
    ? new Set(Object.keys(request.extras))
    : request.dialect === 'openai-responses'
      ? sharedWithResponses
      : new Set<string>();
  dropExtras(request, dropped, carried);
  if (!own && !options.takesTopK) dropped.hint('topK', sampling.topK);
  noteCacheControl(request, dropped);
  const messages = writeMessages(request, dropped, options.reasoningHistory);
  const anyJson = request.dialect === 'gemini-generate' && request.responseFormat?.kind === 'json';
  const body = omitUndefined<Json>({
    model: request.model,
    messages: anyJson ? mentioningJson(messages) : messages,
    tools: request.tools.length > 0 ? writeTools(request, dropped) : undefined,
    tool_choice: writeToolChoice(request.toolChoice, request.tools),
    parallel_tool_calls: request.tools.length > 0 || own ? request.parallelToolCalls : undefined,
    response_format: writeResponseFormat(request),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: own || options.takesTopK ? sampling.topK : undefined,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    logit_bias: sampling.logitBias,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
    stop: stop.length === 0 ? undefined : stop.length === 1 ? stop[0] : stop,
    max_tokens: request.maxOutput,
    n: request.count === 1 ? undefined : request.count,
    user: request.user,
    modalities: writeModalities(request, own),
    audio: request.audio,
    service_tier: request.serviceTier === 'standard_only' ? 'default' : request.serviceTier,
    verbosity: request.verbosity,
    stream: request.stream || undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    ...(reasoning ? (own ? reasoning.given : writeReasoning(request, reasoning, dropped, options)) : {}),
  });
  return { body: { ...body, ...only(request.extras, carried) }, dropped: dropped.names };
}

/** OpenRouter's search in place of Anthropic's. It cannot be required. */
const searchOf = (type: string, { allowedDomains, blockedDomains, userLocation }: WebSearch): ProviderSearch => ({
  tool: {
    name: type,
    dialect: 'openai-chat',
    value: {
      type,
      parameters: omitUndefined<Json>({
        allowed_domains: allowedDomains,
        excluded_domains: blockedDomains,
        user_location: userLocation,
      }),
    },
  },
  takes: ['allowedDomains', 'blockedDomains', 'userLocation'],
});

function writeReasoning(
  { model }: NeutralRequest,
  reasoning: Reasoning,
  dropped: Dropped,
  { thinkingOff }: ChatProviderOptions,
): Json {
  if (thinkingOff && isOff(reasoning)) {
    if (reasoning.effort !== 'none') dropped.hint('reasoning', reasoning.effort);
    return thinkingOff;
  }
  const effort = effortFor(model, reasoning);
  if (effort === undefined) return {};
  if (!refusesEffort(model)) return { reasoning_effort: effort };
  if (effort !== 'none') dropped.hint('reasoning', effort);
  return {};
}

/** Modalities from another dialect: `text` is the default, and only `audio` has the same name. */
function writeModalities(request: NeutralRequest, own: boolean): readonly string[] | undefined {
  const { modalities } = request;
  if (modalities.length === 0 || (!own && modalities.every((each) => each === 'text'))) return undefined;
  if (!own && !request.audio)
    throw unsupported('generationConfig.responseModalities', 'chat completions only return text');
  return modalities;
}

function noteCacheControl(request: NeutralRequest, dropped: Dropped): void {
  if (request.dialect === 'openai-chat') return;
  const marked = (holder: object): boolean => 'cacheControl' in holder && holder.cacheControl !== undefined;
  const found = request.tools.some(marked) || request.messages.some((message) => message.parts.some(marked));
  if (found) dropped.hint('cacheControl', true);
}

/**
 * Whether OpenAI can enforce a schema. Other dialects allow more schemas, and OpenAI refuses a call with a schema that
 * it cannot enforce.
 */
const holdable = (dialect: Dialect, schema: Fields): boolean =>
  dialect === 'openai-chat' || dialect === 'openai-responses' || canBeStrict(schema);

const writtenTool = ofEachObject((tool: NeutralTool, dialect: Dialect) => {
  const dropped = new Dropped(dialect);
  return { tool: writeTool(tool, dialect, dropped), dropped: dropped.names };
});

function writeTools({ tools, dialect }: NeutralRequest, dropped: Dropped): Json[] {
  return tools.map((each) => {
    const written = writtenTool(each, dialect);
    dropped.add(...written.dropped);
    return written.tool;
  });
}

function writeTool(tool: NeutralTool, dialect: Dialect, dropped: Dropped): Json {
  const own = dialect === 'openai-chat';
  switch (tool.kind) {
    case 'function': {
      const parameters = own ? tool.parameters : writeParameters(tool.parameters ?? {});
      const strict = tool.strict && !holdable(dialect, parameters ?? {}) ? undefined : tool.strict;
      if (strict !== tool.strict) dropped.hint('strict', tool.strict);
      return {
        type: 'function',
        function: omitUndefined({
          name: tool.name,
          description: tool.description,
          parameters,
          strict,
        }),
        ...(own && tool.cacheControl ? { cache_control: tool.cacheControl } : {}),
      };
    }
    case 'custom':
      return {
        type: 'custom',
        custom: omitUndefined({
          name: tool.name,
          description: tool.description,
          format: tool.format && nestedFormat(tool.format),
        }),
      };
    case 'builtin':
      if (tool.dialect === 'openai-chat') return tool.value;
      throw unsupported(tool.at ?? 'tools', `only its own provider can run ${tool.name}`);
  }
}

/** OpenAI refuses an object without properties, a list without items, and a choice between several objects. */
function writeParameters(given: Fields): Json {
  const schema = withItems(oneObject(given));
  return schema['$ref'] === undefined ? { type: 'object', properties: {}, ...schema } : schema;
}

/** Whether the tool of this name takes plain text. */
const isCustom = (name: string, tools: readonly NeutralTool[]): boolean =>
  tools.some((tool) => tool.kind === 'custom' && tool.name === name);

function writeToolChoice(choice: ToolChoice | undefined, tools: readonly NeutralTool[]): unknown {
  if (!choice) return undefined;
  switch (choice.mode) {
    case 'auto':
    case 'required':
    case 'none':
      // OpenAI refuses a tool choice without tools.
      return tools.length > 0 ? choice.mode : undefined;
    case 'tool':
      return choice.custom
        ? { type: 'custom', custom: { name: choice.name } }
        : { type: 'function', function: { name: choice.name } };
    case 'allowed':
      return {
        type: 'allowed_tools',
        allowed_tools: {
          mode: choice.required ? 'required' : 'auto',
          tools: choice.names.map((name) =>
            isCustom(name, tools) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } },
          ),
        },
      };
    case 'builtin':
      throw unsupported('tool_choice', 'it refers to a tool of another provider');
  }
}

function writeResponseFormat(request: NeutralRequest): Json | undefined {
  const format = request.responseFormat;
  switch (format?.kind) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { name, schema, description } = format;
      const strict = format.strict && holdable(request.dialect, schema);
      return { type: 'json_schema', json_schema: omitUndefined({ name, schema, description, strict }) };
    }
  }
}
