import type { Condition } from '../../../shared/price-condition.js';
import {
  always,
  areShared,
  asFields,
  asText,
  either,
  ofEachPart,
  type Fields,
} from '../../../dialects/neutral/fields.js';
import { continuesThread, threadName } from '../../../dialects/neutral/thread.js';
import { choicesIn } from '../../../dialects/priced-fields.js';
import { toolCounts, type ToolWork } from '../../../shared/price-quantities.js';
import { serverTools, type ServerTool, withinToolCalls } from '../../../dialects/server-tools.js';
import type { Call } from '../../call.js';
import { rerankPrompt } from './input-prompts.js';
import { estimateTokens, textsIn } from './text-meter.js';
import { conditionsAskedFor } from './unpriced-tools.js';

/** The parts of a request, besides its text, that determine how much it can cost. */
export interface RequestTraits {
  /** The work that the request allows, or else a usual amount. */
  readonly tools: ToolWork;
  /**
   * Whether the prompt is priced as a cache write: the request asks for it, or the provider caches each prompt at a
   * price.
   */
  readonly writesCache: boolean;
  /**
   * Whether the request asks for a longer lifetime in the cache: an hour instead of five minutes, or 12 hours instead
   * of 30 minutes.
   */
  readonly writesCacheForHour: boolean;
  /**
   * Whether the provider adds content to the prompt that is not in the request: stored conversations, files, searches,
   * other documents.
   */
  readonly addsHidden: boolean;
  readonly hasMedia: boolean;
  readonly hasAudio: boolean;
  /** Output tokens that a provider may bill beside the limit: those of a prediction that the model does not follow. */
  readonly predictedTokens: number;
  /** The request names a budget for thinking, which its output limit must exceed. */
  readonly hasThinkingBudget: boolean;
  /** Requests that the provider may bill for the call: one per 100 documents to rank, and more for long ones. */
  readonly requests: number;
  /** The conditions of prices that the request asks for, such as a service tier. The provider may meet any of them. */
  readonly when: readonly Condition[];
}

/** Names of fields, in any dialect, that refer to prompt content outside the request. */
const hiddenNames = new Set([
  ...[
    'previous_response_id',
    'previous_interaction_id',
    'conversation',
    'cachedContent',
    'cached_content',
    'container',
    'vector_store_ids',
  ],
  ...['file_id', 'file_url', 'file_data', 'fileData', 'file_uri', 'fileUri', 'input_audio', 'video_url', 'audio_url'],
  ...['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers', 'data_sources'],
  ...['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval', 'urlContext', 'url_context'],
  ...['googleMaps', 'google_maps'],
  ...['codeExecution', 'code_execution', 'fileSearch', 'file_search'],
]);
/** An edit `compact_…` of Claude reads the prompt once more, and bills that as prompt (`usage.iterations`). */
const hiddenTypes =
  /^(?:input_file|file|input_audio|audio|video|video_url|item_reference|url_context|google_maps)$|^compact_|search|fetch|execution|interpreter|mcp|retrieval|image_generation/;
/** Names of fields that hold schemas or data of tools. Names inside of them say nothing about the request. */
const opaqueNames = new Set([
  ...['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'schema', 'json_schema'],
  ...['responseSchema', 'response_schema', 'responseJsonSchema', 'args', 'arguments', 'response', 'metadata'],
]);
const imageNames = new Set(['image_url', 'image', 'input_image', 'inlineData', 'inline_data']);
/** Fields that ask for a cache, of Anthropic and of OpenAI. */
const cacheNames = new Set(['cache_control', 'prompt_cache_options', 'prompt_cache_breakpoint']);
/** The names above in one set. Most names of a request are not in it, which one look-up shows. */
const telling = new Set([...hiddenNames, ...opaqueNames, ...imageNames, ...cacheNames, 'type', 'input']);
const maxVisited = 100_000;
/** Searches of one call of a research model. */
const researchSearches = 60;

/** Reads the traits of the request of a call. A body with more than 100,000 objects is assumed to have every trait. */
export function requestTraits({ request, price, mayCostMore }: Call): RequestTraits {
  const { body } = request;
  const researches = price.searchesUnasked;
  const tools = mayCostMore ? serverTools(body, request.toolsOfGoogle) : noTools;
  const inThread = body[threadName] !== undefined && continuesThread(body);
  const found: Found = {
    writesCache: price.cachesUnasked,
    writesCacheForHour: false,
    // A prompt that OpenAI stores has texts and tools of its own.
    addsHidden: researches || tools.length > 0 || asFields(body['prompt']) !== null || inThread,
    hasMedia: false,
    hasAudio: asksForAudio(body),
    predictedTokens: predictedTokens(body),
    tools: workOf(tools, researches),
    requests: requestsIn(body),
    hasThinkingBudget: asFields(body['thinking'])?.['budget_tokens'] !== undefined,
    when: mayCostMore ? conditionsAskedFor(body) : noConditions,
  };
  if (noteContent(body, found) > maxVisited) {
    return { ...found, writesCache: true, writesCacheForHour: true, addsHidden: true, hasMedia: true };
  }
  return withinLimit(found, body['max_tool_calls']);
}

/** The traits that the content of a request has. */
type ContentTraits = Pick<Found, 'writesCache' | 'writesCacheForHour' | 'addsHidden' | 'hasMedia' | 'hasAudio'>;

const contentOfParts = ofEachPart((turns) => {
  const found = {
    writesCache: false,
    writesCacheForHour: false,
    addsHidden: false,
    hasMedia: false,
    hasAudio: false,
    visited: 0,
    beginsWithNumber: typeof turns[0] === 'number',
  };
  for (const turn of turns) found.visited += noteContent(turn, found);
  return found;
}, always);

/**
 * Notes the traits of a value.
 * @returns how many lists and objects were visited: more than the maximum if some were left out
 */
function noteContent(content: unknown, found: ContentTraits): number {
  const open: unknown[] = [content];
  let visited = 0;
  for (let value = open.pop(); value !== undefined && visited <= maxVisited; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    visited++;
    if (Array.isArray(value)) {
      if (areShared(value)) visited += noteTurns(value, found);
      // A list of numbers is a list of tokens for embeddings.
      else if (typeof value[0] !== 'number')
        for (const each of value as unknown[]) if (typeof each === 'object' && each !== null) open.push(each);
      continue;
    }
    const fields = value as Fields;
    for (const name in fields) {
      const held = fields[name];
      if (held === undefined || held === null || held === false) continue;
      if (!telling.has(name)) {
        if (typeof held === 'object') open.push(held);
        continue;
      }
      if (cacheNames.has(name)) noteCache(name, held, found);
      if (hiddenNames.has(name)) found.addsHidden = true;
      if (imageNames.has(name)) found.hasMedia = true;
      if (name === 'type' && typeof held === 'string') noteType(held, fields, found);
      if ((name === 'inlineData' || name === 'inline_data') && !isImage(asFields(held))) found.addsHidden = true;
      const opaque = opaqueNames.has(name) || (name === 'input' && fields['type'] === 'tool_use');
      if (typeof held === 'object' && !opaque) open.push(held);
    }
  }
  return visited;
}

function noteTurns(turns: readonly unknown[], found: ContentTraits): number {
  const parts = contentOfParts(turns);
  if (parts[0]?.beginsWithNumber) return 0;
  let visitedInAll = 0;
  for (const part of parts) {
    visitedInAll += part.visited;
    found.writesCache ||= part.writesCache;
    found.writesCacheForHour ||= part.writesCacheForHour;
    found.addsHidden ||= part.addsHidden;
    found.hasMedia ||= part.hasMedia;
    found.hasAudio ||= part.hasAudio;
  }
  return visitedInAll;
}

const noTools: readonly ServerTool[] = [];
const noConditions: readonly Condition[] = [];

export const noWork = Object.fromEntries(toolCounts.map((name) => [name, 0])) as ToolWork;

/** Returns the work that all tools of a request may do together. */
function workOf(tools: readonly ServerTool[], researches: boolean): ToolWork {
  if (tools.length === 0 && !researches) return noWork;
  const work = { ...noWork };
  for (const { allows } of tools) for (const name of toolCounts) work[name] += allows[name] ?? 0;
  if (researches) work.webSearches = Math.max(researchSearches, work.webSearches);
  return work;
}

/** Applies OpenAI's limit on the calls of all tools together. */
function withinLimit(found: Found, allowed: unknown): RequestTraits {
  if (typeof allowed !== 'number' || !(allowed >= 0)) return found;
  const tools = withinToolCalls(found.tools, allowed);
  return { ...found, tools: { ...tools, codeExecutions: allowed === 0 ? 0 : tools.codeExecutions } };
}

const piecesOfRequest = 100;
/** Tokens of a document and the query. Cohere divides longer documents into pieces, and bills each as a document. */
const tokensOfPiece = 500;

function requestsIn(body: Fields): number {
  if (body['query'] === undefined || !Array.isArray(body['documents'])) return 1;
  const { texts } = rerankPrompt(body, asText(body['model']));
  const [query = 0, ...documents] = texts.map((text) => estimateTokens(Buffer.byteLength(text)));
  const pieces = documents.reduce((sum, tokens) => sum + Math.max(1, Math.ceil((query + tokens) / tokensOfPiece)), 0);
  return Math.max(1, Math.ceil(pieces / piecesOfRequest));
}

/**
 * Returns the tokens of a prediction. OpenAI bills those that are not in the response as output
 * (`rejected_prediction_tokens` of the API reference, November 2026). Not every provider counts them within the limit.
 */
export function predictedTokens({ prediction }: Fields): number {
  if (typeof prediction !== 'object' || prediction === null) return 0;
  return textsIn(prediction).reduce((tokens, text) => tokens + estimateTokens(Buffer.byteLength(text)), 0);
}

type Found = { -readonly [K in keyof RequestTraits]: RequestTraits[K] };

function noteCache(name: string, held: unknown, found: ContentTraits): void {
  const ttl = asFields(held)?.['ttl'];
  if (name === 'cache_control') {
    found.writesCache = true;
    if (ttl === '1h') found.writesCacheForHour = true;
  } else if (ttl === '12h') {
    found.writesCache = true;
    found.writesCacheForHour = true;
  }
}

function noteType(type: string, fields: Fields, found: ContentTraits): void {
  if (type === 'image' || type === 'input_image' || type === 'image_url') found.hasMedia = true;
  if (type === 'input_audio') found.hasAudio = true;
  if (hiddenTypes.test(type)) found.addsHidden = true;
  else if (type === 'document' && asFields(fields['source'])?.['type'] !== 'text') found.addsHidden = true;
}

function isImage(media: Fields | null | undefined): boolean {
  const type = media?.['mimeType'] ?? media?.['mime_type'];
  return typeof type === 'string' && type.startsWith('image/');
}

const asksForAudio = ({ modalities }: Fields): boolean => Array.isArray(modalities) && modalities.includes('audio');

/** Returns how many responses of full length a request asks for. Each may be as long as the output limit allows. */
export function choicesOf(body: Fields): number {
  const config = asFields(either(body, 'generationConfig', 'generation_config'));
  const { prompt } = body;
  // Each prompt of a list is completed; a list of numbers is one prompt.
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1;
  return Math.max(choicesIn(body), config ? choicesIn(config) : 1) * prompts;
}
