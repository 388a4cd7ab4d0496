import type { Dropped } from './field-name.js';
import { asFields, asFieldsList, asList, asText, someNumber, type Fields } from './fields.js';
import type { NeutralRequest, NeutralTool, ToolChoice } from './request.js';

/** The limits that a client of Messages sets for a web search. Absent fields are not limited. */
export interface WebSearch {
  readonly allowedDomains?: readonly unknown[];
  readonly blockedDomains?: readonly unknown[];
  readonly maxUses?: number;
  readonly userLocation?: Fields;
}

const settings = {
  allowed_domains: 'allowedDomains',
  blocked_domains: 'blockedDomains',
  max_uses: 'maxUses',
  user_location: 'userLocation',
} as const satisfies Record<string, keyof WebSearch>;

const domainLimits = ['allowedDomains', 'blockedDomains'] as const satisfies ReadonlyArray<keyof WebSearch>;

const searchType = /^web_search_\d+$/;

type BuiltinTool = Extract<NeutralTool, { kind: 'builtin' }>;

const isSearch = (tool: NeutralTool): tool is BuiltinTool =>
  tool.kind === 'builtin' && tool.dialect === 'anthropic-messages' && searchType.test(tool.name);

/** Whether a body of Messages has Anthropic's web search among its tools, as Claude Code sends it. */
export const declaresWebSearch = (body: Fields): boolean =>
  asList(body['tools']).some((tool) => searchType.test(asText(asFields(tool)?.['type'])));

/** The search of a provider, in place of Anthropic's. */
export interface ProviderSearch {
  readonly tool: Pick<BuiltinTool, 'name' | 'dialect' | 'value'>;
  readonly takes: ReadonlyArray<keyof WebSearch>;
  /** For a call that requires the search; absent: the provider cannot be made to search. */
  readonly choice?: ToolChoice;
}

/**
 * Replaces Anthropic's web search by that of the provider. Settings that the provider does not have are recorded as dropped. Without the
 * limits of its domains a search would mean something else: where the provider does not have them, the search stays one that only
 * Anthropic can run.
 * @param searchOf the provider's search with these settings
 */
export function withProviderSearch(
  request: NeutralRequest,
  dropped: Dropped,
  searchOf: (wanted: WebSearch) => ProviderSearch,
): NeutralRequest {
  const asked = request.tools.find(isSearch);
  if (!asked) return request;
  const wanted = wantedBy(asked.value);
  const { tool, takes, choice } = searchOf(wanted);
  if (domainLimits.some((limit) => wanted[limit] && !takes.includes(limit))) return request;
  for (const [name, setting] of Object.entries(settings)) {
    const value = asked.value[name];
    const isGiven = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
    if (isGiven && !takes.includes(setting)) dropped.add(`${asked.at ?? 'tools'}.${name}`);
  }
  const { toolChoice } = request;
  const isForced = toolChoice?.mode === 'tool' && toolChoice.name === asked.value['name'];
  return {
    ...request,
    tools: request.tools.map((each) => (each === asked ? { ...asked, ...tool } : each)),
    toolChoice: isForced ? choice : toolChoice,
  };
}

/** The largest number of searches that the client wants; undefined: any. */
export function maxSearches({ tools }: NeutralRequest): number | undefined {
  const asked = tools.find(isSearch);
  return asked && wantedBy(asked.value).maxUses;
}

function wantedBy(tool: Fields): WebSearch {
  const { allowed_domains: allowed, blocked_domains: blocked } = tool;
  const maxUses = someNumber(tool['max_uses']);
  const userLocation = asFields(tool['user_location']);
  return {
    ...(asList(allowed).length > 0 ? { allowedDomains: asList(allowed) } : {}),
    ...(asList(blocked).length > 0 ? { blockedDomains: asList(blocked) } : {}),
    ...(maxUses === undefined ? {} : { maxUses }),
    ...(userLocation ? { userLocation } : {}),
  };
}

/** The pages that sources of a text name, each once. */
export function pagesIn(annotations: readonly Fields[]): Array<{ url: string; title: string }> {
  const pages = new Map<string, string>();
  for (const { url, title } of asFieldsList(annotations.map((each) => each['url_citation'])))
    if (asText(url) !== '' && !pages.has(asText(url))) pages.set(asText(url), asText(title) || asText(url));
  return [...pages].map(([url, title]) => ({ url, title }));
}
