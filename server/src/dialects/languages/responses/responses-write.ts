import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { ProviderCodec, WrittenRequest } from '../../neutral/codec.js';
import { Dropped, dropExtras, fieldName, unsupported } from '../../neutral/field-name.js';
import type { NeutralRequest, NeutralTool, ResponseFormat } from '../../neutral/request.js';
import { effortFor, refusesEffort } from '../openai/efforts.js';
import { readResponse } from './responses-read.js';
import { ResponsesStreamReader } from './responses-stream-reader.js';
import { writeInput } from './responses-write-input.js';
import { maxSearches, withProviderSearch, type ProviderSearch, type WebSearch } from '../../neutral/web-search.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { shortUserId } from '../../neutral/user-id.js';
import { only, type Json } from '../../neutral/fields.js';

/** The codec of Responses for providers. */
export const responsesProvider: ProviderCodec = {
  dialect: 'openai-responses',
  write: writeResponsesRequest,
  read: readResponse,
  openReader: () => new ResponsesStreamReader(),
};

/** Fields common to chat and Responses. */
const sharedWithChat = new Set(['metadata', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier']);
/** Models that return signatures. Other models refuse a request for them. */
const thinkingModel = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|codex)/;

function writeResponsesRequest(given: NeutralRequest): WrittenRequest {
  const own = given.dialect === 'openai-responses';
  const dropped = new Dropped(given.dialect);
  const request = runnableTools(
    withProviderSearch(given, dropped, searchOf),
    dropped,
    (tool) => tool.kind !== 'builtin' || tool.dialect === 'openai-responses',
  );
  const { dialect, sampling, reasoning } = request;
  if (request.count > 1) throw unsupported(fieldName(dialect, 'count'), 'Responses returns one choice');
  if (request.stop.length > 0) throw unsupported(fieldName(dialect, 'stop'), 'Responses does not support stop texts');
  if (request.modalities.some((each) => each !== 'text'))
    throw unsupported(fieldName(dialect, 'modalities'), 'Responses only returns text');
  const carried = own
    ? new Set(Object.keys(request.extras))
    : dialect === 'openai-chat'
      ? sharedWithChat
      : new Set<string>();
  dropExtras(request, dropped, carried);
  const { topK, seed, frequencyPenalty, presencePenalty, logitBias, logprobs } = sampling;
  dropped.hints({ topK, seed, frequencyPenalty, presencePenalty, logitBias });
  if (!own) dropped.hints({ logprobs, topLogprobs: sampling.topLogprobs });
  const { instructions, input } = writeInput(request, dropped);
  const text = omitUndefined<Json>({ format: writeFormat(request.responseFormat), verbosity: request.verbosity });
  const wanted = own || !reasoning ? undefined : effortFor(request.model, reasoning);
  const refused = wanted !== undefined && refusesEffort(request.model);
  if (refused && wanted !== 'none') dropped.hint('reasoning', wanted);
  const effort = refused ? undefined : wanted;
  const body = omitUndefined<Json>({
    // A client of another dialect did not request that the response is stored.
    store: own ? undefined : false,
    include: !own && thinkingModel.test(request.model) ? ['reasoning.encrypted_content'] : undefined,
    reasoning: own
      ? reasoning?.given['reasoning']
      : effort === undefined
        ? undefined
        : omitUndefined({ effort, summary: reasoning?.visible ? 'auto' : undefined }),
    model: request.model,
    instructions,
    input,
    max_output_tokens: request.maxOutput,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_logprobs: own ? sampling.topLogprobs : undefined,
    tools: request.tools.length > 0 ? request.tools.map((tool) => writeTool(tool, own)) : undefined,
    tool_choice: request.tools.length > 0 || own ? writeToolChoice(request, own) : undefined,
    max_tool_calls: own ? undefined : maxSearches(given),
    parallel_tool_calls: request.parallelToolCalls,
    text: Object.keys(text).length > 0 ? text : undefined,
    user: request.user === undefined ? undefined : shortUserId(request.user),
    service_tier: request.serviceTier === 'standard_only' ? 'default' : request.serviceTier,
    stream: request.stream || undefined,
  });
  return { body: { ...body, ...only(request.extras, carried) }, dropped: dropped.names };
}

/** OpenAI's search in place of Anthropic's. */
const searchOf = ({ allowedDomains, blockedDomains, userLocation }: WebSearch): ProviderSearch => ({
  tool: {
    name: 'web_search',
    dialect: 'openai-responses',
    value: omitUndefined<Json>({
      type: 'web_search',
      filters:
        allowedDomains || blockedDomains
          ? omitUndefined<Json>({ allowed_domains: allowedDomains, blocked_domains: blockedDomains })
          : undefined,
      user_location: userLocation,
    }),
  },
  takes: ['allowedDomains', 'blockedDomains', 'maxUses', 'userLocation'],
  choice: { mode: 'builtin', dialect: 'openai-responses', value: { type: 'web_search' } },
});

function writeTool(tool: NeutralTool, own: boolean): Json {
  const { name } = tool;
  switch (tool.kind) {
    case 'function': {
      const { description, parameters } = tool;
      // Without the field, Responses makes a schema strict, which a client of another dialect did not request.
      const strict = tool.strict ?? (own ? undefined : false);
      return omitUndefined<Json>({
        type: 'function',
        name,
        description,
        parameters: parameters ?? { type: 'object', properties: {} },
        strict,
      });
    }
    case 'custom':
      return omitUndefined<Json>({ type: 'custom', name, description: tool.description, format: tool.format });
    case 'builtin':
      if (tool.dialect === 'openai-responses') return { ...tool.value };
      throw unsupported(tool.at ?? 'tools', `only its own provider can run ${name}`);
  }
}

function writeToolChoice({ toolChoice: choice, tools }: NeutralRequest, own: boolean): unknown {
  switch (choice?.mode) {
    case undefined:
      return undefined;
    case 'auto':
    case 'required':
    case 'none':
      return choice.mode;
    case 'tool':
      return { type: choice.custom ? 'custom' : 'function', name: choice.name };
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.required ? 'required' : 'auto',
        tools: choice.names.map((name) => ({
          type: tools.some((tool) => tool.kind === 'custom' && tool.name === name) ? 'custom' : 'function',
          name,
        })),
      };
    case 'builtin':
      if (own || choice.dialect === 'openai-responses') return choice.value;
      throw unsupported('tool_choice', 'it refers to a tool of another provider');
  }
}

function writeFormat(format: ResponseFormat | undefined): Json | undefined {
  switch (format?.kind) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { name, schema, description, strict } = format;
      return omitUndefined<Json>({ type: 'json_schema', name, schema, description, strict: strict ?? false });
    }
  }
}
