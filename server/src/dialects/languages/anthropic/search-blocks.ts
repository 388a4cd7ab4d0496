import { randomAlphanumeric } from '../../../shared/ids.js';
import type { Fields, Json } from '../../neutral/fields.js';
import { pagesIn } from '../../neutral/web-search.js';

/** The searches of another provider, and the sources of its text. */
export interface Found {
  readonly queries: readonly string[];
  readonly annotations: readonly Fields[];
}

/**
 * A search of another provider as the blocks of Anthropic's own: the call, and its result. Other providers do not say which query found
 * which page, so all are one call. The content of a page is encrypted at Anthropic, and is not known here, so that Anthropic
 * does not get these blocks later (`withoutForeignBlocks`).
 * @returns nothing when the provider did not search
 */
export function searchBlocks({ queries, annotations }: Found): Json[] {
  const pages = pagesIn(annotations);
  if (queries.length === 0 && pages.length === 0) return [];
  const id = `srvtoolu_${randomAlphanumeric(24)}`;
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: queries.join('; ') } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: pages.map(({ url, title }) => ({
        type: 'web_search_result',
        url,
        title,
        encrypted_content: '',
        page_age: null,
      })),
    },
  ];
}
