import { InvalidInputError } from '../shared/errors.js';
import { callCounts, type Quantity, type ToolCount, type ToolWork } from '../shared/price-card.js';
import { declaredTools } from './neutral/declared-tools.js';
import { asFields, asFieldsList, someText, type Fields } from './neutral/fields.js';
import { optionalCount } from './neutral/given.js';

/*
 * The one list of the tools that providers run. The reservation, the charge and the refusal of tools without a price
 * read it. A tool of a provider that is on no list here has no known price.
 */

/** Returns the work with at most so many calls of each tool. */
export const withinToolCalls = (work: ToolWork, most: number): ToolWork => ({
  ...work,
  ...Object.fromEntries(callCounts.map((name) => [name, Math.min(work[name], most)])),
});

/** Returns the calls of the tool that may be called most. */
export const mostToolCalls = (work: ToolWork): number => Math.max(...callCounts.map((name) => work[name]));

export interface PricedTool {
  /** Types of the tool in requests, in small letters and without a date. */
  readonly types: readonly string[];
  /** Names by which Google declares the tool, without underscores. */
  readonly fields: readonly string[];
  /** Fields of the request itself that switch the tool on. */
  readonly switches: readonly string[];
  /** Types of the items in the output of Responses that are calls of the tool. */
  readonly calls: readonly string[];
  /** The quantities that price the tool. One price of them is enough. */
  readonly prices: readonly Quantity[];
  /** The count in the usage for its calls in Responses. */
  readonly counted: ToolCount;
  /**
   * Returns the work that a declaration allows.
   * @throws AppError INVALID_INPUT for a limit that is not a count, or a memory of another form: a provider may read it
   */
  readonly allows: (declared: Fields) => Partial<ToolWork>;
}

/** Searches of one call when the request sets no limit. */
const usualSearches = 10;
const maxSearches = 100;

function searchesIn({ max_uses: allowed }: Fields): Partial<ToolWork> {
  const most = optionalCount(allowed, 'max_uses');
  return { webSearches: most ? Math.min(most, maxSearches) : usualSearches };
}

const webSearch: PricedTool = {
  types: ['web_search', 'web_search_preview', 'x_search', 'openrouter:web_search'],
  fields: ['googlesearch', 'googlesearchretrieval', 'enterprisewebsearch'],
  switches: ['web_search_options', 'search_parameters', 'enable_search'],
  calls: ['web_search_call'],
  prices: ['webSearch', 'groundedPrompt', 'request'],
  counted: 'webSearches',
  allows: searchesIn,
};

export const pricedTools: readonly PricedTool[] = [
  webSearch,
  {
    types: [],
    fields: ['googlemaps'],
    switches: [],
    calls: [],
    prices: ['mapsPrompt', 'webSearch'],
    counted: 'mapsPrompts',
    allows: () => ({ mapsPrompts: 1, webSearches: usualSearches }),
  },
  {
    types: ['file_search', 'collections_search', 'attachment_search'],
    fields: [],
    switches: [],
    calls: ['file_search_call'],
    prices: ['fileSearch'],
    counted: 'fileSearches',
    allows: () => ({ fileSearches: usualSearches }),
  },
  {
    types: ['code_interpreter', 'code_execution', 'shell'],
    fields: [],
    switches: [],
    calls: ['code_interpreter_call', 'shell_call'],
    prices: ['codeExecution'],
    counted: 'codeExecutions',
    allows: (tool) => ({ codeExecutions: neededGigabytes(tool) }),
  },
];

/**
 * Types of tools without a fee: tools that the client runs, and tools of a provider that cost only tokens or that are
 * charged by the model that they call.
 */
const freeTypes = new RegExp(
  '^(?:function|custom|namespace|computer.*|bash|text_editor|memory|local_shell|apply_patch|mcp|mcp_toolset|' +
    'tool_search.*|advisor|image_generation|openrouter:advisor|openrouter:image_generation|web_fetch|' +
    'programmatic_tool_calling)$',
);
/** Google charges neither for code nor for searches of files. */
const freeFields = /^(?:functiondeclarations|urlcontext|codeexecution|filesearch|computeruse|mcpservers?)$/;

/**
 * Plugins of OpenRouter that cost nothing, and the engines of its file parser that cost nothing or tokens
 * (https://openrouter.ai/docs/guides/overview/multimodal/pdfs, November 2026).
 */
const freePlugins: ReadonlySet<unknown> = new Set(['response-healing', 'context-compression']);
const freeEngines: ReadonlySet<unknown> = new Set(['cloudflare-ai', 'pdf-text', 'native']);

/** A tool of a request that the provider runs and that may have a fee. */
export interface ServerTool {
  /** The client's name of the tool. */
  readonly name: string;
  /** The prices, one of which is enough. Empty for a tool whose price is not known at any model. */
  readonly prices: readonly Quantity[];
  readonly allows: Partial<ToolWork>;
}

/**
 * Returns the tools of a request in any dialect that its provider runs, without those that are known to be free.
 * @param areOfGoogle whether types of tools are names of Google's tools, as in Interactions
 */
export function serverTools(body: Fields, areOfGoogle = false): ServerTool[] {
  const found = declaredTools(body).flatMap(({ tool }) => {
    const type = areOfGoogle ? someText(tool['type']) : undefined;
    if (type === undefined) return toolsIn(tool, body);
    return type === 'function' ? [] : toolOfGoogle(type, tool);
  });
  for (const tool of pricedTools) {
    for (const name of tool.switches) {
      if (isOn(body[name])) found.push(priced(name, tool, { webSearches: searchesBySwitch(name, body[name]) }));
    }
  }
  for (const plugin of asFieldsList(body['plugins'])) {
    if (plugin['enabled'] === false || isFreePlugin(plugin)) continue;
    found.push(plugin['id'] === 'web' ? priced('plugins', webSearch, webSearch.allows({})) : unknown('plugins'));
  }
  return found;
}

/** Returns the names of a tool. Google names a tool by the field that has its settings, all others by its type. */
function toolsIn(tool: Fields, body: Fields): ServerTool[] {
  const type = someText(tool['type']);
  if (type === undefined) {
    return isOfClient(tool) ? [] : Object.keys(tool).flatMap((name) => toolOfGoogle(name, tool[name]));
  }
  if (isMoonshotSearch(tool)) {
    return [priced(moonshotSearch, webSearch, { webSearches: Math.max(1, searchesBefore(body)) })];
  }
  const name = type.toLowerCase().replace(/(?:_\d+)+$/, '');
  if (freeTypes.test(name) || (name === 'shell' && !isHosted(tool))) return [];
  const found = pricedTools.find(({ types }) => types.includes(name));
  return [found ? priced(type, found, found.allows(tool)) : unknown(type)];
}

/** Whether a tool without a type is run by the client: a function of chat completions, or a tool of Messages. */
const isOfClient = (tool: Fields): boolean => tool['name'] !== undefined || asFields(tool['function']) !== null;

function toolOfGoogle(name: string, settings: unknown): ServerTool[] {
  const plain = name.toLowerCase().replaceAll('_', '');
  if (freeFields.test(plain)) return [];
  const found = pricedTools.find(({ fields }) => fields.includes(plain));
  return [found ? priced(name, found, found.allows(asFields(settings) ?? {})) : unknown(name)];
}

const priced = (name: string, { prices }: PricedTool, allows: Partial<ToolWork>): ServerTool => ({
  name,
  prices,
  allows,
});
const unknown = (name: string): ServerTool => ({ name, prices: [], allows: {} });

const isFreePlugin = ({ id, pdf }: Fields): boolean =>
  freePlugins.has(id) || (id === 'file-parser' && freeEngines.has(asFields(pdf)?.['engine']));

/**
 * Whether a shell runs in a container of the provider. The client runs the commands of a shell without an environment.
 */
function isHosted({ environment }: Fields): boolean {
  return environment !== undefined && environment !== null && asFields(environment)?.['type'] !== 'local';
}

const memoryForm = /^([1-9]\d{0,3})g$/;
/** Only one of the two fields sizes the container. Which one depends on the tool, so both are read. */
const memoryLimits = ({ container, environment }: Fields): unknown[] =>
  [container, environment].map((each) => asFields(each)?.['memory_limit'] ?? '1g');

const gigabytes = (limit: unknown): number =>
  typeof limit === 'string' ? Number(memoryForm.exec(limit)?.[1] ?? 1) : 1;

/**
 * Returns the gigabytes of container memory that a tool asks for. A container with 64 GB costs 64 times one with 1 GB.
 * Anthropic's containers and named containers do not state their size.
 */
export const gigabytesOf = (tool: Fields): number => Math.max(...memoryLimits(tool).map(gigabytes));

function neededGigabytes(tool: Fields): number {
  if (memoryLimits(tool).some((limit) => typeof limit !== 'string' || !memoryForm.test(limit))) {
    throw new InvalidInputError('memory_limit must be like 4g', 'memory_limit');
  }
  return gigabytesOf(tool);
}

/** xAI bills each source like five searches. */
const searchesOfSource = 5;
const usualSources = 20;

function searchesBySwitch(name: string, value: unknown): number {
  if (name !== 'search_parameters') return usualSearches;
  const sources = optionalCount(asFields(value)?.['max_search_results'], 'max_search_results') ?? usualSources;
  return searchesOfSource * Math.min(sources, 50);
}

/** Moonshot's search tool. The model calls it, and the client sends the call back as its own result. */
const moonshotSearch = '$web_search';
const isMoonshotSearch = (tool: Fields): boolean =>
  tool['type'] === 'builtin_function' && asFields(tool['function'])?.['name'] === moonshotSearch;

/**
 * Returns the searches that a request asks for, for providers that bill searches and report none.
 * @param isSent whether the provider got a field, or a tool of the type
 */
export function requestedSearches(body: Fields, isSent: (name: string) => boolean): number {
  const ofQwen = isOn(body['enable_search']) ? ['enable_search'] : [];
  const ofZhipu = asFieldsList(body['tools']).some(isZhipuSearch) ? ['web_search'] : [];
  return searchesBefore(body) + [...ofQwen, ...ofZhipu].filter(isSent).length;
}

/**
 * Whether a tool is Zhipu's search. Its settings are in an object of its name, and it is off when `enable` is false,
 * also as text.
 */
const isZhipuSearch = ({ type, web_search: settings }: Fields): boolean =>
  type === 'web_search' && asFields(settings) !== null && !isOff(asFields(settings)?.['enable']);

/** Returns the number of searches that Moonshot ran for a request. Moonshot bills each and reports none. */
function searchesBefore(body: Fields): number {
  if (!declaredTools(body).some(({ tool }) => isMoonshotSearch(tool))) return 0;
  const said = asFieldsList(body['messages']);
  const at = said.findLastIndex(({ role }) => role !== 'tool');
  const isAnswered = at >= 0 && at < said.length - 1;
  if (!isAnswered) return 0;
  return asFieldsList(said[at]?.['tool_calls']).filter(
    (call) => asFields(call['function'])?.['name'] === moonshotSearch,
  ).length;
}

const isOff = (value: unknown): boolean => value === false || (typeof value === 'string' && /^false$/i.test(value));

const isOn = (value: unknown): boolean =>
  value !== undefined && value !== null && !isOff(value) && asFields(value)?.['mode'] !== 'off';
