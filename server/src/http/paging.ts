import type { FastifyRequest } from 'fastify';
import { defaultPageSize, maxPageSize, toPageQuery } from '../shared/page.js';
import { olderUserIdHeader, userIdHeader } from './authenticate.js';
import { queryNumber } from './query.js';

/** Pages of lists as the old clients ask for them (docs/reference/rest/conventions.md#pagination). */

type Query = Readonly<Record<string, string | undefined>>;

const maxPage = 10_000_000;

/** `page` starts at 0; `shown` is its number on the wire. */
interface WirePage {
  readonly shown: number;
  readonly page: number;
  readonly pageSize: number;
}

/** Lists of the form `{ items, total, page, page_size }` start at page 1 on the wire. */
export function pageFromOne(query: Query, defaultSize = defaultPageSize): WirePage {
  const shown = Math.min(Math.max(1, pageNumber(query)), maxPage);
  return { shown, ...toPageQuery({ page: shown - 1, pageSize: pageSize(query) || defaultSize }) };
}

/** The response of a list of that form. */
export interface PagedAnswer<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
}

/** How a caller reads a list that is an array in Veloera and one-api, and a page with its total in new-api. */
export interface ListPage {
  readonly page: number;
  readonly pageSize: number;
  answer<Item>(items: readonly Item[], total: () => Promise<number>): Promise<readonly Item[] | PagedAnswer<Item>>;
}

/**
 * An array whose pages start at 0, or for clients of new-api a page from 1.
 * @param fixedSize rows of a page of the array, whatever the query says
 */
export function listPage({ headers }: FastifyRequest, query: Query, fixedSize?: number): ListPage {
  if (!isNewApi(headers)) {
    const page = Math.min(Math.max(0, queryNumber(query['p'])), maxPage);
    return { ...toPageQuery({ page, pageSize: fixedSize ?? pageSize(query) }), answer: async (items) => items };
  }
  const { shown, ...page } = pageFromOne(query);
  return {
    ...page,
    answer: async (items, total) => ({ items, total: await total(), page: shown, page_size: page.pageSize }),
  };
}

/** The whole of a list, or for clients of new-api a page of it. */
export function wholeList<Item>(
  { headers }: FastifyRequest,
  query: Query,
  items: readonly Item[],
): readonly Item[] | PagedAnswer<Item> {
  if (!isNewApi(headers)) return items;
  const { shown, page, pageSize } = pageFromOne(query, maxPageSize);
  return {
    items: items.slice(page * pageSize, (page + 1) * pageSize),
    ...{ total: items.length, page: shown, page_size: pageSize },
  };
}

/** Clients that work with several consoles of this family send both headers and read arrays. */
const isNewApi = (headers: FastifyRequest['headers']): boolean =>
  headers[olderUserIdHeader] !== undefined && headers[userIdHeader] === undefined;

const pageNumber = ({ p, page }: Query): number => queryNumber(p) || queryNumber(page);
const pageSize = ({ page_size, size, ps }: Query): number =>
  queryNumber(page_size) || queryNumber(size) || queryNumber(ps);
