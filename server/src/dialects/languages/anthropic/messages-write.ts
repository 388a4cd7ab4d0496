import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { ProviderCodec, WrittenRequest } from '../../neutral/codec.js';
import { Dropped, dropExtras, fieldName, unsupported } from '../../neutral/field-name.js';
import type { Fields, Json } from '../../neutral/fields.js';
import type { NeutralRequest, NeutralTool, ToolChoice } from '../../neutral/request.js';
import { claudeTraits, type ClaudeTraits } from './claude-model.js';
import type { ClaudeSettings } from './claude-settings.js';
import { answerTool, heldSchema, jsonTool } from './json-answer.js';
import { readMessage } from './messages-read.js';
import { MessagesStreamReader } from './messages-stream-reader.js';
import { writeSystem, writeTurns } from './messages-write-content.js';
import { continuesWithoutThought, hasThoughts } from './own-thoughts.js';
import { cutThinkingSuffix, planThinking, type ThinkingPlan } from './thinking.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { oneObject } from '../../neutral/tool-schema.js';
import { withProviderSearch, type ProviderSearch, type WebSearch } from '../../neutral/web-search.js';

/** The codec of Messages for Anthropic and other hosts of Claude. */
export const messagesProvider = (settings: ClaudeSettings): ProviderCodec => ({
  dialect: 'anthropic-messages',
  write: (request) => writeMessagesRequest(request, settings),
  read: readMessage,
  openReader: () => new MessagesStreamReader(),
  fetches: () => settings.remoteMedia,
});

function writeMessagesRequest(given: NeutralRequest, settings: ClaudeSettings): WrittenRequest {
  const own = given.dialect === 'anthropic-messages';
  const dropped = new Dropped(given.dialect);
  const request = runnableTools(
    withSearch(given, settings, dropped),
    dropped,
    (tool) => tool.kind === 'function' || (tool.kind === 'builtin' && tool.dialect === 'anthropic-messages'),
  );
  if (request.count > 1) throw unsupported(fieldName(request.dialect, 'count'), 'Claude returns one choice');
  if (request.modalities.some((each) => each.toLowerCase() !== 'text')) {
    throw unsupported(fieldName(request.dialect, 'modalities'), 'Claude only returns text');
  }
  const isLimited = !own && request.tools.some(({ name }) => name === searchType);
  dropExtras(request, dropped, own ? new Set(Object.keys(request.extras)) : new Set(isLimited ? [maxCalls] : []));
  const { model, suffixed } = cutThinkingSuffix(request.model, settings);
  const traits = claudeTraits(model);
  const planned = planThinking(model, suffixed, request.reasoning, request.maxOutput, settings);
  const chosen = fitToolChoice(request, planned, traits, dropped);
  const messages = writeTurns(request, settings, dropped);
  const plan = fitTurn(request, chosen, messages, dropped);
  const format = writeFormat(request, traits, plan);
  const tools = [...allowedTools(request).map(writeTool), ...format.tools];
  const extraOutput = own ? (request.extras['output_config'] as Json | undefined) : undefined;
  const outputConfig: Json = {
    ...extraOutput,
    ...format.output,
    ...(plan.effort === undefined ? {} : { effort: plan.effort }),
  };
  const body = omitUndefined<Json>({
    ...(own ? request.extras : {}),
    model,
    max_tokens: plan.maxTokens,
    system: writeSystem(request),
    messages,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: format.choice ?? writeToolChoice(request),
    stop_sequences: stopTexts(request.stop, dropped),
    ...writeSampling(request, traits, plan, dropped),
    thinking: writeThinking(request, plan, traits, messages),
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    service_tier: writeServiceTier(request.serviceTier, dropped),
    stream: request.stream || undefined,
  });
  return { body, model, dropped: dropped.names };
}

/** The oldest search, which every model and every host of Claude with a search has. */
const searchType = 'web_search_20250305';
const searchName = 'web_search';
/** The field of Responses that limits the calls of all tools of the provider together. */
const maxCalls = 'max_tool_calls';

/**
 * Anthropic's search in place of OpenAI's. Anthropic takes one tool of a name, domains that are allowed or such that are blocked, and no
 * format together with the sources of a search.
 */
function withSearch(request: NeutralRequest, { searchesWeb = true }: ClaudeSettings, dropped: Dropped): NeutralRequest {
  const { tools, responseFormat, extras } = request;
  const isTaken = tools.some(({ kind, name }) => kind !== 'builtin' && name === searchName);
  const isFormatted = responseFormat !== undefined && responseFormat.kind !== 'text';
  const maxUses = extras[maxCalls] ?? undefined;
  if (!searchesWeb || isTaken || isFormatted || maxUses === 0) return request;
  const searchOf = ({ allowedDomains, blockedDomains, userLocation }: WebSearch): ProviderSearch => ({
    tool: {
      name: searchType,
      dialect: 'anthropic-messages',
      value: omitUndefined<Json>({
        type: searchType,
        name: searchName,
        max_uses: maxUses,
        allowed_domains: allowedDomains,
        blocked_domains: blockedDomains,
        user_location: userLocation,
      }),
    },
    takes: ['userLocation', 'allowedDomains', ...(allowedDomains ? [] : ['blockedDomains' as const])],
    choice: { mode: 'tool', name: searchName },
  });
  return withProviderSearch(request, dropped, searchOf, 'openai-responses');
}

/**
 * With a budget, Claude thinks only if the tool choice is `auto` or `none`. For another choice, an effort is dropped
 * because it is a hint, and thinking that was requested by name or budget is an error.
 */
function fitToolChoice(
  request: NeutralRequest,
  plan: ThinkingPlan,
  traits: ClaudeTraits,
  dropped: Dropped,
): ThinkingPlan {
  if (plan.ignored) dropped.hint('reasoning', true);
  const { toolChoice: choice, reasoning } = request;
  const forced =
    choice?.mode === 'required' || choice?.mode === 'tool' || (choice?.mode === 'allowed' && choice.required);
  if (forced && !traits.forced) {
    throw unsupported(fieldName(request.dialect, 'toolChoice'), 'this model cannot be forced to call a tool');
  }
  if (!forced || !hasBudget(plan)) return plan;
  if (reasoning?.effort === undefined || reasoning.budget !== undefined) {
    throw unsupported(fieldName(request.dialect, 'toolChoice'), 'Claude cannot think and be forced to call a tool');
  }
  dropped.hint('reasoning', reasoning.effort);
  return withoutThinking(request, plan);
}

/**
 * With a budget, Claude thinks only in a turn that began with a thought. Most clients of other dialects keep no
 * thoughts, and Claude does not accept thoughts of other providers.
 */
function fitTurn(
  request: NeutralRequest,
  plan: ThinkingPlan,
  messages: readonly Json[],
  dropped: Dropped,
): ThinkingPlan {
  if (!hasBudget(plan) || !continuesWithoutThought(messages)) return plan;
  dropped.hint('reasoning', true);
  return withoutThinking(request, plan);
}

const hasBudget = ({ thinking }: ThinkingPlan): boolean => thinking?.['type'] === 'enabled';

const withoutThinking = ({ maxOutput }: NeutralRequest, { maxTokens }: ThinkingPlan): ThinkingPlan => ({
  maxTokens: maxOutput ?? maxTokens,
  active: false,
  ignored: true,
});

/**
 * Newer models refuse thoughts if the conversation before them differs from the one in which they were made. A
 * translation cannot reproduce it exactly, so the request permits the model to leave such thoughts out.
 */
function writeThinking(
  { dialect, reasoning }: NeutralRequest,
  plan: ThinkingPlan,
  traits: ClaudeTraits,
  messages: readonly Json[],
): unknown {
  const given = reasoning?.given['thinking'];
  if (dialect === 'anthropic-messages' && given !== undefined && !plan.ignored) return given;
  const isAdaptive = plan.thinking === undefined || plan.thinking['type'] === 'adaptive';
  if (!traits.bindsThoughts || !isAdaptive || !hasThoughts(messages)) return plan.thinking;
  return { type: 'adaptive', ...plan.thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
}

/** Returns the tools that the client allows in this call. Claude has no such list, so the other tools are not sent. */
function allowedTools({ tools, toolChoice }: NeutralRequest): readonly NeutralTool[] {
  return toolChoice?.mode === 'allowed' ? tools.filter((tool) => toolChoice.names.includes(tool.name)) : tools;
}

function writeTool(tool: NeutralTool): Json {
  if (tool.kind === 'builtin' && tool.dialect === 'anthropic-messages') return { ...tool.value };
  if (tool.kind !== 'function') throw unsupported(tool.at ?? 'tools', 'Claude cannot run or call such a tool');
  return omitUndefined<Json>({
    name: tool.name,
    description: tool.description,
    input_schema: tool.strict ? heldSchema(schemaOf(tool.parameters)) : schemaOf(tool.parameters),
    strict: tool.strict || undefined,
    cache_control: tool.cacheControl,
  });
}

/**
 * Returns one object without undefined values. Anthropic refuses undefined values, and a choice between several
 * objects.
 */
function schemaOf(parameters: Fields | undefined): Json {
  const given = Object.fromEntries(Object.entries(oneObject(parameters ?? {})).filter(([, value]) => value !== null));
  return {
    type: 'object',
    ...(given['properties'] === undefined && !given['$ref'] ? { properties: {} } : {}),
    ...given,
  };
}

function writeToolChoice(request: NeutralRequest): Json | undefined {
  const { toolChoice: choice, parallelToolCalls } = request;
  if (request.tools.length === 0) return undefined;
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const type = choiceType(choice, request);
  if (type === undefined) return parallelToolCalls === false ? { type: 'auto', ...single } : undefined;
  return type['type'] === 'none' ? type : { ...type, ...single };
}

function choiceType(choice: ToolChoice | undefined, request: NeutralRequest): Json | undefined {
  switch (choice?.mode) {
    case undefined:
      return undefined;
    case 'required':
      return { type: 'any' };
    case 'auto':
    case 'none':
      return { type: choice.mode };
    case 'tool':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      return { type: choice.required ? 'any' : 'auto' };
    case 'builtin':
      throw unsupported(fieldName(request.dialect, 'toolChoice'), 'it refers to a tool of another provider');
  }
}

interface WrittenFormat {
  readonly output?: Json;
  readonly tools: readonly Json[];
  readonly choice?: Json;
}

/**
 * Writes a schema if the model supports schemas. Otherwise it writes a tool that the model has to call, whose input is
 * the response.
 */
function writeFormat(request: NeutralRequest, traits: ClaudeTraits, plan: ThinkingPlan): WrittenFormat {
  const { responseFormat: format } = request;
  if (!format || format.kind === 'text') return { tools: [] };
  if (format.kind === 'schema' && traits.schemas) {
    return { output: { format: { type: 'json_schema', schema: heldSchema(format.schema) } }, tools: [] };
  }
  if (request.tools.length > 0 || plan.active || !traits.forced) {
    throw unsupported(
      fieldName(request.dialect, 'responseFormat'),
      'this model cannot combine it with tools or thinking',
    );
  }
  return { tools: [jsonTool(format)], choice: { type: 'tool', name: answerTool } };
}

/** Removes blank stop texts, which Anthropic refuses. */
function stopTexts(stop: readonly string[], dropped: Dropped): string[] | undefined {
  const texts = stop.filter((text) => text.trim() !== '');
  if (stop.some((text) => text !== '' && text.trim() === '')) dropped.hint('stop', true);
  return texts.length > 0 ? texts : undefined;
}

function writeSampling(request: NeutralRequest, traits: ClaudeTraits, plan: ThinkingPlan, dropped: Dropped): Json {
  const { temperature, topP, topK, seed, frequencyPenalty, presencePenalty, logitBias, logprobs, topLogprobs } =
    request.sampling;
  dropped.hints({
    seed,
    frequencyPenalty,
    presencePenalty,
    logitBias,
    logprobs,
    topLogprobs,
    verbosity: request.verbosity,
  });
  if (!traits.sampling) {
    dropped.hints({ temperature, topP, topK });
    return {};
  }
  if (plan.active) {
    // Thinking requires the default temperature and a top_p near 1.
    const keepsTopP = topP !== undefined && topP >= 0.95 && topP <= 1 && request.reasoning !== undefined;
    dropped.hints({
      temperature: temperature === 1 ? undefined : temperature,
      topP: keepsTopP ? undefined : topP,
      topK,
    });
    if (keepsTopP) return { top_p: topP };
    return request.reasoning === undefined ? { temperature: 1 } : {};
  }
  const together = temperature !== undefined && topP !== undefined && !traits.samplingTogether;
  if (together) dropped.hint('topP', topP);
  return {
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1),
    top_p: together ? undefined : topP,
    top_k: topK,
  };
}

function writeServiceTier(tier: string | undefined, dropped: Dropped): string | undefined {
  if (tier === undefined || tier === 'auto' || tier === 'standard_only') return tier;
  if (tier === 'default') return 'standard_only';
  dropped.hint('serviceTier', tier);
  return undefined;
}
