import { InvalidInputError } from '../shared/errors.js';
import { asFields, asList, foldedName, someTurn, type Fields } from './neutral/fields.js';
import { optionalCount, optionalFlag } from './neutral/given.js';

/*
 * The fields of a request that multiply or select its price. Some providers read text as a number, some compare words
 * without regard to case, and some accept a limit under another name. Therefore such a field must have its exact type,
 * or the call is refused: the values that are priced are those that are sent.
 */

/** Numbers of images. */
export const imageCountNames = ['n', 'num_images', 'batch_size'];
/** Names of fields with the number of responses to one prompt. Models that draw return as many images. */
const choiceNames = [
  ...imageCountNames,
  ...['best_of', 'num_return_sequences', 'candidateCount', 'candidate_count'],
  // llama.cpp reads `n_cmpl` before `n`.
  'n_cmpl',
];
/** Names of output limits of all providers. A provider may obey any of them. */
const limitNames = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample', 'max_new_tokens'],
  ...['maxOutputTokens', 'maxTokens', 'num_predict', 'max_length', 'max_gen_len'],
  // llama.cpp reads `n_predict` before `max_tokens` (server-task.cpp, November 2026).
  'n_predict',
];
const tierNames = ['service_tier', 'serviceTier'];
/** Names of fields that hold a number or a word of the price. */
export const pricedNames: readonly string[] = [
  ...[...choiceNames, ...limitNames, ...tierNames],
  ...['size', 'image_size', 'quality', 'seconds', 'sequential_image_generation', 'sequential_image_generation_options'],
  'partial_images',
];
/** Fields with which a provider runs tools or charges more, although the name of the field does not show a price. */
export const otherPriced: readonly string[] = [
  ...[
    'tools',
    'max_tool_calls',
    'web_search_options',
    'search_parameters',
    'enable_search',
    'search_options',
    'plugins',
  ],
  ...['speed', 'inference_geo'],
];
/**
 * Fields in which providers accept further models, or a name for them: OpenRouter (`models`, `route`, `preset`),
 * Anthropic (`fallbacks`), LiteLLM, Vercel (`providerOptions.gateway.models`). One of these models may then serve the call, at another price than `model`.
 */
export const modelFields: readonly string[] = [
  ...['models', 'fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'route', 'preset'],
  ...['providerOptions', 'provider_options'],
];
/** Fields whose content gateways and servers copy into the request. */
export const containers = ['extra_body', 'parameters', 'options', 'sampling_params'];
export const configs = ['generationConfig', 'generation_config'];
/**
 * Fields that name what a provider keeps, or have it keep a response. A response in the background is charged when it is
 * complete.
 */
const keptNames = [
  ...['background', 'store', 'previous_response_id', 'conversation', 'container', 'cachedContent', 'cached_content'],
  ...['previous_interaction_id', 'agent'],
];
/**
 * Has xAI respond with an id alone, and keep the completion for a request that has no route here. Its work would be free
 * (https://docs.x.ai/developers/advanced-api-usage/deferred-chat-completions, November 2026).
 */
const deferredName = 'deferred';
/** Names of the fields with the model and the content of a request. */
const contentNames = ['model', 'stream', 'messages', 'input', 'prompt', 'contents'];
/**
 * Fields that decide the price or which provider serves the call. Spellings of them in another case are refused for every
 * JSON body.
 */
export const decisiveNames: readonly string[] = [
  ...[...pricedNames, ...otherPriced, ...modelFields],
  ...[...containers, ...configs, ...contentNames, ...keptNames, deferredName],
];

export const maxChoices = 1024;

export const choices: ReadonlySet<string> = new Set(choiceNames);
export const limits: ReadonlySet<string> = new Set(limitNames);
const tiers: ReadonlySet<string> = new Set(tierNames);
/**
 * Names that are refused inside of a container, folded, because gateways compare them without regard to case and
 * copy them over the fields of the request.
 */
const innerNames: ReadonlySet<string> = new Set(
  [...choices, ...limits, ...tiers, ...otherPriced, ...modelFields, ...contentNames, deferredName].map(foldedName),
);

/** Fields that may declare a tool of a provider, or select a price by a word. Items of `input` may declare tools. */
const extraNames: ReadonlySet<string> = new Set([...tierNames, ...otherPriced, 'input']);

/**
 * Whether a request may use tools of a provider, or another price than the standard one. Most requests have no field
 * for that, and are not searched further.
 */
export function mayCostMore(body: Fields): boolean {
  for (const name in body) if (extraNames.has(name) && body[name] !== undefined) return true;
  return mayDefineTools(asList(body['messages']));
}

/** Whether a message has tools (Kimi), or blocks, which may define tools. */
const mayDefineTools = someTurn((message) => {
  const fields = asFields(message);
  return Array.isArray(fields?.['content']) || fields?.['tools'] !== undefined;
});

/** The position of the fields of a text request. */
export interface TextFields {
  /** Names of the limit in the dialect of the request. Empty if limits are in an object of their own. */
  readonly limits: readonly string[];
  /** Fields other than the tier that select a price by a word. */
  readonly words?: readonly string[];
  readonly containers: ReadonlySet<string>;
  /** Prefix of names in errors. */
  readonly at?: string;
  /** The object that has the limits, if it is not Google's `generationConfig`. */
  readonly configOf?: string;
}

const everywhere: ReadonlySet<string> = new Set([...containers, ...configs]);
const everywhereInside: ReadonlySet<string> = new Set([...everywhere].map(foldedName));
export const chatFields: TextFields = { limits: ['max_tokens', 'max_completion_tokens'], containers: everywhere };
export const messagesFields: TextFields = {
  limits: ['max_tokens'],
  words: ['speed', 'inference_geo'],
  containers: everywhere,
};
export const responsesFields: TextFields = { limits: ['max_output_tokens'], containers: everywhere };
export const generateFields: TextFields = { limits: [], containers: new Set(containers) };
export const generateConfigFields: TextFields = {
  limits: ['maxOutputTokens', 'max_output_tokens'],
  containers: new Set(),
  at: 'generationConfig.',
};

export const interactionFields: TextFields = {
  limits: [],
  containers: new Set(containers),
  configOf: 'generation_config',
};
export const interactionConfigFields: TextFields = {
  limits: ['max_output_tokens'],
  containers: new Set(),
  at: 'generation_config.',
};

/**
 * Checks the fields of a text request that multiply or select its price.
 * @returns the longest output that the request allows, in tokens; 0 where it has no limit by a name of its dialect
 * @throws AppError INVALID_INPUT naming the field
 */
export function readTextFields(fields: Fields, where: TextFields): number {
  let longest = 0;
  let isLimited = false;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    const shown = (where.at ?? '') + name;
    if (limits.has(name)) {
      if (where.limits.length === 0) {
        const place = where.configOf ? `max_output_tokens of ${where.configOf}` : 'maxOutputTokens of generationConfig';
        throw new InvalidInputError(`${shown} must be ${place}`, shown);
      }
      const limit = optionalCount(value, shown) ?? 0;
      longest = Math.max(longest, limit);
      if (limit > 0 && where.limits.includes(name)) isLimited = true;
    } else if (name === 'tools') checkTools(value, shown);
    else if (choices.has(name)) needCount(value, shown, 0, maxChoices);
    else if (tiers.has(name) && where.at !== undefined) {
      throw new InvalidInputError(`${shown} must be a field of the request itself`, shown);
    } else if (tiers.has(name) || where.words?.includes(name)) needWord(value, shown);
    else if (where.containers.has(name)) refuseInner(value, shown);
    else if (name === 'enable_search') optionalFlag(value, shown);
    else if (name === deferredName && optionalFlag(value, shown)) {
      throw new InvalidInputError(`${shown} must be false: a completion is returned in the response`, shown);
    } else if (name === 'max_tool_calls') optionalCount(value, shown);
    else if (name === 'web_search_options') optionalWord(asFields(value) ?? {}, 'search_context_size', `${shown}.`);
  }
  return isLimited ? longest : 0;
}

/**
 * Checks the form of tools. Some servers read an object, or a list of one entry, as the value in it, so that such a tool
 * would be run without a price.
 * @throws AppError INVALID_INPUT naming the field
 */
export function checkTools(tools: unknown, at: string): void {
  if (!Array.isArray(tools)) throw new InvalidInputError(`${at} must be a list`, at);
  for (const [index, entry] of (tools as unknown[]).entries()) {
    const tool = asFields(entry);
    if (!tool) throw new InvalidInputError(`${at}[${index}] must be an object`, at);
    const { type, tools: inner } = tool;
    if (type !== undefined && type !== null && typeof type !== 'string') {
      throw new InvalidInputError(`${at}[${index}].type must be text`, at);
    }
    if (inner !== undefined && inner !== null) checkTools(inner, `${at}[${index}].tools`);
  }
}

/**
 * Checks that the containers of a request hold no field that decides its price or its model.
 * @throws AppError INVALID_INPUT naming the field
 */
export function checkContainers(fields: Fields): void {
  for (const name of containers) if (fields[name] !== undefined) refuseInner(fields[name], name);
}

function refuseInner(container: unknown, at: string): void {
  for (const [name, value] of Object.entries(asFields(container) ?? {})) {
    const [plain, shown] = [foldedName(name), `${at}.${name}`];
    if (innerNames.has(plain)) {
      throw new InvalidInputError(`${shown} is not supported, it must be a field of the request itself`, shown);
    }
    if (everywhereInside.has(plain)) refuseInner(value, shown);
  }
}

/** Returns the number of responses to one prompt, from fields that `readTextFields` has checked. */
export const choicesIn = (fields: Fields): number => {
  let most = 1;
  for (const name of choiceNames) {
    const value = fields[name];
    if (typeof value === 'number' && value > most) most = Math.min(Math.floor(value), maxChoices);
  }
  return most;
};

/**
 * Returns the limits of a request, none larger than `tokens`.
 * @param own names of the limit in the dialect; the first one is added if the request has none of them
 */
export function limitedFields(fields: Fields, tokens: number, own: readonly [string, ...string[]]): Fields {
  const given = limitNames.filter((name) => typeof fields[name] === 'number');
  const names = given.some((name) => own.includes(name)) ? given : [own[0], ...given];
  return Object.fromEntries(
    names.map((name) => {
      const value = fields[name];
      return [name, typeof value === 'number' && value > 0 ? Math.min(value, tokens) : tokens];
    }),
  );
}

/**
 * Returns a whole number within its limits.
 * @throws AppError INVALID_INPUT
 */
export function needCount(value: unknown, field: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InvalidInputError(`${field} must be a number`, field);
  }
  if (value < least || value > most) {
    throw new InvalidInputError(`${field} must be between ${least} and ${most}`, field);
  }
  if (!Number.isInteger(value)) throw new InvalidInputError(`${field} must be a whole number`, field);
  return value;
}

/**
 * Returns a word that selects a price, in the form that providers use.
 * @throws AppError INVALID_INPUT
 */
function needWord(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^[a-z0-9_.:-]*$/.test(value)) {
    throw new InvalidInputError(`${field} must be a word in small letters`, field);
  }
  return value;
}

/** Returns the word that a field holds, or empty text when the field is absent. */
export const optionalWord = (fields: Fields, name: string, at = ''): string => {
  const value = fields[name];
  return value === undefined || value === null ? '' : needWord(value, at + name);
};
