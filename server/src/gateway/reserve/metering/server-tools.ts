import type { Prices, Quantity } from '../../../shared/price-card.js';
import { declaredTools, searchFields } from '../../../dialects/neutral/declared-tools.js';
import { asFields, asFieldsList, someText, type Fields } from '../../../dialects/neutral/fields.js';

/** The prices of each tool that a provider runs. One price of a row is enough. */
const fees: ReadonlyArray<readonly [names: RegExp, quantities: readonly Quantity[]]> = [
  [
    /^(?:(?:openrouter:)?web_search|x_search|web_search_options|\$web_search|google_?search(?:_?retrieval)?|enterprise_?web_?search)/i,
    ['webSearch', 'groundedPrompt', 'request'],
  ],
  [/^google_?maps$/i, ['mapsPrompt', 'webSearch']],
  [/^(?:file_search|collections_search|attachment_search)$/, ['fileSearch']],
  [/^(?:code_interpreter|code_execution(?:_\d+)?)$/, ['codeExecution']],
];

/**
 * Tools without a fee: tools that the client runs, and tools of a provider that cost only tokens or that are charged by
 * the model that they call. Google charges neither for code nor for file searches.
 */
const withoutFee = new RegExp(
  '^(?:function|custom|namespace|computer.*|bash_.*|text_editor_.*|memory_.*|local_shell|shell|apply_patch|mcp|mcp_toolset|' +
    'tool_search.*|advisor_.*|image_generation|openrouter:advisor|openrouter:image_generation|web_fetch.*|programmatic_tool_calling|' +
    'function_?declarations|url_?context|codeExecution|fileSearch|computer_?use|mcp_?servers)$',
  'i',
);
/**
 * Names of Google's free tools. Google writes them in both cases; Anthropic and OpenAI charge for tools of such names.
 */
const googleWithoutFee = /^(?:code_?execution|file_?search)$/i;

/** Returns the tools of a request that the provider runs and that have no known price, by the client's names. */
export function unpricedTools(body: Fields, prices: Prices): readonly string[] {
  const isUnpriced = (name: string): boolean => {
    if (withoutFee.test(name)) return false;
    const fee = fees.find(([names]) => names.test(name));
    return !fee?.[1].some((quantity) => prices[quantity] !== undefined);
  };
  const found = declaredTools(body).flatMap(({ tool }) => namesOf(tool).filter(isUnpriced));
  const canSearch = fees[0]?.[1].some((quantity) => prices[quantity] !== undefined);
  if (!canSearch) found.push(...searchFields.filter((name) => isOn(body[name])));
  for (const { id } of asFieldsList(body['plugins'])) if (id === 'web' && !canSearch) found.push('plugins');
  return found;
}

/** Returns the tools that were not removed from the request to the provider. */
export const toolsSent = (names: readonly string[], dropped: readonly string[] | undefined): readonly string[] =>
  dropped ? names.filter((name) => !dropped.some((each) => each === name || each.endsWith(`.${name}`))) : names;

/**
 * Returns the names of a tool. Google names a tool by the field that has its settings, all others by its type. A tool
 * with a schema is run by the client.
 */
function namesOf(tool: Fields): string[] {
  const type = someText(tool['type']);
  if (type === 'function') return [];
  if (type === undefined) {
    if (tool['input_schema'] !== undefined || tool['name'] !== undefined) return [];
    return Object.keys(tool).filter((name) => !googleWithoutFee.test(name));
  }
  if (tool['input_schema'] !== undefined) return [];
  return [moonshotName(tool) ?? type];
}

const moonshotName = (tool: Fields): string | undefined =>
  tool['type'] === 'builtin_function' ? someText(asFields(tool['function'])?.['name']) : undefined;

/** Moonshot's search tool. The model calls it, and the client sends the call back as its own result. */
const moonshotSearch = '$web_search';

/**
 * Returns the searches that a request asks for, for providers that bill searches and report none.
 * @param dropped fields that the provider did not get
 */
export function orderedSearches(body: Fields, dropped: readonly string[] | undefined): number {
  const ofQwen = isOn(body['enable_search']) ? ['enable_search'] : [];
  const ofZhipu = asFieldsList(body['tools']).some(isZhipuSearch) ? ['web_search'] : [];
  return searchesBefore(body) + toolsSent([...ofQwen, ...ofZhipu], dropped).length;
}

/**
 * Whether a tool is Zhipu's search. Its settings are in an object of its name, and it is off when `enable` is false,
 * also as text.
 */
const isZhipuSearch = ({ type, web_search: settings }: Fields): boolean =>
  type === 'web_search' && asFields(settings) !== null && !isOff(asFields(settings)?.['enable']);

const isOff = (value: unknown): boolean => value === false || (typeof value === 'string' && /^false$/i.test(value));

/** Returns the number of searches that Moonshot ran for a request. Moonshot bills each and reports none. */
function searchesBefore({ tools, messages }: Fields): number {
  if (!asFieldsList(tools).some((tool) => moonshotName(tool) === moonshotSearch)) return 0;
  const said = asFieldsList(messages);
  const at = said.findLastIndex(({ role }) => role !== 'tool');
  const isAnswered = at >= 0 && at < said.length - 1;
  if (!isAnswered) return 0;
  return asFieldsList(said[at]?.['tool_calls']).filter(
    (call) => asFields(call['function'])?.['name'] === moonshotSearch,
  ).length;
}

const isOn = (value: unknown): boolean =>
  value !== undefined && value !== null && !isOff(value) && asFields(value)?.['mode'] !== 'off';
