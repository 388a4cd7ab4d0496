import { declaredTools } from './declared-tools.js';
import type { Dropped } from './field-name.js';
import { asFields, asFieldsList, asList, asText, someNumber, type Fields } from './fields.js';
import type { NeutralRequest, NeutralTool, ToolChoice } from './request.js';

/** The limits that a client sets for a web search. Absent fields are not limited. */
export interface WebSearch {
  readonly allowedDomains?: readonly unknown[];
  readonly blockedDomains?: readonly unknown[];
  readonly maxUses?: number;
  readonly userLocation?: Fields;
}

/** How clients of a dialect declare the search of its provider. */
interface SearchForm {
  readonly types: RegExp;
  /** The limits by their place in the declaration. */
  readonly limits: Readonly<Record<string, keyof WebSearch>>;
  /** Settings that no other provider has. They are no loss where they are `true`, which is the default of each. */
  readonly hints: readonly string[];
}

const forms = {
  'anthropic-messages': {
    types: /^web_search_\d+$/,
    limits: {
      allowed_domains: 'allowedDomains',
      blocked_domains: 'blockedDomains',
      max_uses: 'maxUses',
      user_location: 'userLocation',
    },
    hints: [],
  },
  'openai-responses': {
    types: /^web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/,
    limits: {
      'filters.allowed_domains': 'allowedDomains',
      'filters.blocked_domains': 'blockedDomains',
      user_location: 'userLocation',
    },
    hints: ['search_context_size', 'search_content_types', 'external_web_access'],
  },
} as const satisfies Record<string, SearchForm>;

/** Dialects whose clients declare a search. */
type Searching = keyof typeof forms;

const domainLimits = ['allowedDomains', 'blockedDomains'] as const satisfies ReadonlyArray<keyof WebSearch>;

type BuiltinTool = Extract<NeutralTool, { kind: 'builtin' }>;

const searchIn = ({ tools }: NeutralRequest, dialect: Searching): BuiltinTool | undefined =>
  tools.find(
    (tool): tool is BuiltinTool =>
      tool.kind === 'builtin' && tool.dialect === dialect && forms[dialect].types.test(tool.name),
  );

/** Whether a body of Messages has Anthropic's web search among its tools, as Claude Code sends it. */
export const declaresWebSearch = (body: Fields): boolean =>
  asList(body['tools']).some((tool) => forms['anthropic-messages'].types.test(asText(asFields(tool)?.['type'])));

/** Whether a body of Responses declares OpenAI's web search, as Codex does. */
export const declaresResponsesSearch = (body: Fields): boolean =>
  declaredTools(body).some(({ tool }) => forms['openai-responses'].types.test(asText(tool['type'])));

/** The search of a provider, which replaces the search of the client's dialect. */
export interface ProviderSearch {
  readonly tool: Pick<BuiltinTool, 'name' | 'dialect' | 'value'>;
  readonly takes: ReadonlyArray<keyof WebSearch>;
  /** For a call that requires the search; absent: the provider cannot be made to search. */
  readonly choice?: ToolChoice;
}

/**
 * Replaces the web search of a client's dialect by that of the provider. Settings that the provider does not have are recorded as
 * dropped. Without the limits of its domains a search would mean something else: where the provider does not have them, the search
 * stays one that only its own provider can run.
 * @param searchOf the provider's search with these settings
 * @param dialect the dialect of the client
 */
export function withProviderSearch(
  request: NeutralRequest,
  dropped: Dropped,
  searchOf: (wanted: WebSearch) => ProviderSearch,
  dialect: Searching = 'anthropic-messages',
): NeutralRequest {
  const asked = searchIn(request, dialect);
  if (!asked) return request;
  const { limits, hints, types }: SearchForm = forms[dialect];
  const wanted = wantedBy(asked.value, limits);
  const { tool, takes, choice } = searchOf(wanted);
  if (domainLimits.some((limit) => wanted[limit] && !takes.includes(limit))) return request;
  for (const name of [...Object.keys(limits), ...hints]) {
    const value = valueAt(asked.value, name);
    const isGiven = value !== undefined && value !== null && value !== true && !isEmptyList(value);
    const limit = limits[name];
    if (isGiven && !(limit && takes.includes(limit))) dropped.add(`${asked.at ?? 'tools'}.${name}`);
  }
  const { toolChoice } = request;
  const isForced =
    toolChoice?.mode === 'builtin'
      ? types.test(asText(toolChoice.value['type']))
      : toolChoice?.mode === 'tool' && toolChoice.name === asked.value['name'];
  return {
    ...request,
    tools: request.tools.map((each) => (each === asked ? { ...asked, ...tool } : each)),
    toolChoice: isForced ? choice : toolChoice,
  };
}

/** The largest number of searches that the client wants; undefined: any. */
export function maxSearches(request: NeutralRequest): number | undefined {
  const dialect = 'anthropic-messages';
  const asked = searchIn(request, dialect);
  return asked && wantedBy(asked.value, forms[dialect].limits).maxUses;
}

function wantedBy(tool: Fields, limits: SearchForm['limits']): WebSearch {
  const given = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [limit, valueAt(tool, name)]));
  const [allowed, blocked] = domainLimits.map((limit) => asList(given[limit]));
  const maxUses = someNumber(given['maxUses']);
  const userLocation = asFields(given['userLocation']);
  return {
    ...(allowed?.length ? { allowedDomains: allowed } : {}),
    ...(blocked?.length ? { blockedDomains: blocked } : {}),
    ...(maxUses === undefined ? {} : { maxUses }),
    ...(userLocation ? { userLocation } : {}),
  };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const valueAt = (tool: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => asFields(value)?.[name], tool);

/** The pages that sources of a text name, each once. */
export function pagesIn(annotations: readonly Fields[]): Array<{ url: string; title: string }> {
  const pages = new Map<string, string>();
  for (const { url, title } of asFieldsList(annotations.map((each) => each['url_citation'])))
    if (asText(url) !== '' && !pages.has(asText(url))) pages.set(asText(url), asText(title) || asText(url));
  return [...pages].map(([url, title]) => ({ url, title }));
}
