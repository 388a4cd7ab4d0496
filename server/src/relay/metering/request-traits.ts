import { asFields, type Fields } from '../neutral/fields.js';

/** The parts of a request, besides its text, that decide how much it can cost. */
export interface RequestTraits {
  /** The request asks for its prompt to be cached: the prompt is priced as a cache write. */
  readonly writesCache: boolean;
  /** The provider adds to the prompt what is not in the request: stored conversations, files, searches, other documents. */
  readonly addsHidden: boolean;
  readonly hasMedia: boolean;
  readonly hasAudio: boolean;
  /** The request names a budget for thinking, which its output limit must exceed. */
  readonly hasThinkingBudget: boolean;
}

/** Names of fields, in any dialect, behind which is more prompt than the request holds. */
const hiddenNames = new Set([
  ...['previous_response_id', 'conversation', 'cachedContent', 'cached_content', 'container', 'vector_store_ids'],
  ...['file_id', 'file_url', 'file_data', 'fileData', 'file_uri', 'fileUri', 'input_audio', 'video_url', 'audio_url'],
  ...['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers', 'data_sources'],
  ...['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval', 'urlContext', 'url_context'],
  ...['codeExecution', 'code_execution', 'fileSearch', 'file_search'],
]);
const hiddenTypes =
  /^(?:input_file|file|input_audio|video|video_url)$|search|fetch|execution|interpreter|mcp|retrieval|image_generation/;
/** Values of these keys are schemas or data of tools: names in them say nothing about the request. */
const opaqueNames = new Set([
  ...['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'schema', 'json_schema'],
  ...['responseSchema', 'response_schema', 'responseJsonSchema', 'args', 'arguments', 'response', 'metadata'],
]);
const imageNames = new Set(['image_url', 'image', 'input_image', 'inlineData', 'inline_data']);
const maxVisited = 100_000;

/** Looks through a parsed body. A body with more than 100,000 objects is taken to hold everything. */
export function requestTraits(body: Fields): RequestTraits {
  const hasThinkingBudget = asFields(body['thinking'])?.['budget_tokens'] !== undefined;
  const found = { writesCache: false, addsHidden: false, hasMedia: false, hasAudio: asksForAudio(body) };
  const open: unknown[] = [body];
  let visited = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (++visited > maxVisited)
      return { ...found, writesCache: true, addsHidden: true, hasMedia: true, hasThinkingBudget };
    if (Array.isArray(value)) {
      // Tokens of embeddings.
      if (typeof value[0] === 'number') continue;
      for (const each of value as unknown[]) if (typeof each === 'object' && each !== null) open.push(each);
      continue;
    }
    const fields = value as Fields;
    for (const name in fields) {
      const held = fields[name];
      if (held === undefined || held === null || held === false) continue;
      if (name === 'cache_control') found.writesCache = true;
      if (hiddenNames.has(name)) found.addsHidden = true;
      if (imageNames.has(name)) found.hasMedia = true;
      if (name === 'type' && typeof held === 'string') noteType(held, fields, found);
      if ((name === 'inlineData' || name === 'inline_data') && !isImage(asFields(held))) found.addsHidden = true;
      const opaque = opaqueNames.has(name) || (name === 'input' && fields['type'] === 'tool_use');
      if (typeof held === 'object' && !opaque) open.push(held);
    }
  }
  return { ...found, hasThinkingBudget };
}

function noteType(
  type: string,
  fields: Fields,
  found: { addsHidden: boolean; hasMedia: boolean; hasAudio: boolean },
): void {
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
