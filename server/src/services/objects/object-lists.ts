import type { ObjectApi } from '../../dialects/contract.js';
import { malformed } from '../../dialects/errors/relay-error.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import type { ListQuery, ObjectPage } from './kept-objects.js';

const maxPage = 1000;

/**
 * Reads which page of a list a client wants.
 * @throws RelayError invalid_request
 */
export function listQuery(api: ObjectApi, query: string): ListQuery {
  const given = new URLSearchParams(query);
  const get = (name: string): string | undefined => given.get(name) ?? undefined;
  const [size, after, usual] =
    api === 'gemini'
      ? ['pageSize', 'pageToken', 100]
      : api === 'anthropic'
        ? ['limit', given.has('page') ? 'page' : 'after_id', 20]
        : ['limit', 'after', maxPage];
  const limit = Number(get(size) ?? usual);
  if (!Number.isInteger(limit) || limit < 1) throw malformed(`${size} must be a whole number above 0`);
  return {
    limit: Math.min(limit, maxPage),
    isAscending: api === 'openai' && get('order') === 'asc',
    after: get(after),
    before: api === 'openai' ? get('before') : get('before_id'),
    purpose: api === 'openai' ? get('purpose') : undefined,
  };
}

/**
 * Writes a page in the form of the API.
 * @param name of the list in Google's form
 */
export function shownPage(api: ObjectApi, name: string, { objects, ids, hasMore }: ObjectPage): Fields {
  const lastId = ids.at(-1) ?? null;
  if (api === 'gemini') return { [name]: objects, ...(hasMore ? { nextPageToken: lastId } : {}) };
  const page = { data: objects, first_id: ids[0] ?? null, last_id: lastId, has_more: hasMore };
  if (api === 'openai') return { object: 'list', ...page };
  // Older clients of Anthropic go on by `last_id`, newer ones by `next_page`.
  return { ...page, next_page: hasMore ? lastId : null };
}
