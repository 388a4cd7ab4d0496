import type { FastifyRequest } from 'fastify';
import { toPageQuery, type Total } from '../../shared/page.js';
import { olderUserIdHeader, userIdHeader } from './authenticate.js';
import { queryNumber } from './query.js';

/** Lists as the clients of each console of the family read them (docs/reference/rest/conventions.md#pagination). */

type Query = Readonly<Record<string, string | undefined>>;

/** How a list is returned to clients of Veloera. */
interface ListForm {
  /** `{ items, total, page, page_size }` from page 1, in place of an array from page 0. */
  readonly paged?: boolean;
  /** Rows of a page of an array, whatever the query says. */
  readonly fixedSize?: number;
  /** When the query names no size. */
  readonly defaultSize?: number;
}

/** One page of a list. `page` starts at 0. */
export interface WireList {
  readonly page: number;
  readonly pageSize: number;
  /** The response. `more` are further keys of the paged form. */
  readonly answer: (
    items: readonly unknown[],
    total: () => Promise<Pick<Total, 'count'>>,
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>;
}

/** The page that a client asks for, in the form that the clients of its console read. */
export function wireList({ headers }: FastifyRequest, query: Query, form: ListForm = {}): WireList {
  if (!isPaged(headers, form)) {
    const page = Math.min(Math.max(0, queryNumber(query['p'])), maxPage);
    return {
      ...toPageQuery({ page, pageSize: form.fixedSize ?? (sizeOf(query) || form.defaultSize) }),
      answer: async (items) => items,
    };
  }
  const { shown, page, pageSize } = pageFromOne(query, form.defaultSize);
  return {
    page,
    pageSize,
    answer: async (items, total, more) => {
      const { count } = await total();
      return { items, total: count, ...more, page: shown, page_size: pageSize };
    },
  };
}

/** Pages that start at 1 on the wire, as `shown`. */
export function pageFromOne(
  query: Query,
  defaultSize?: number,
): { readonly shown: number; readonly page: number; readonly pageSize: number } {
  const shown = Math.min(Math.max(1, queryNumber(query['p']) || queryNumber(query['page'])), maxPage);
  return { shown, ...toPageQuery({ page: shown - 1, pageSize: sizeOf(query) || defaultSize }) };
}

/** A list that clients of Veloera and one-api read as a whole, and clients of new-api by pages. */
export function wholeList(request: FastifyRequest, query: Query, items: readonly unknown[]): Promise<unknown> {
  const total = async (): Promise<Pick<Total, 'count'>> => ({ count: items.length });
  if (!isPaged(request.headers, {})) return Promise.resolve(items);
  const list = wireList(request, query, { defaultSize: items.length });
  return list.answer(items.slice(list.page * list.pageSize, (list.page + 1) * list.pageSize), total);
}

/**
 * Clients of new-api send its header alone and read every list by pages; clients of one-api send no header and read every
 * list as an array. Clients that send both headers read what Veloera returns.
 */
const isPaged = (headers: FastifyRequest['headers'], { paged = false }: ListForm): boolean =>
  headers[userIdHeader] === undefined ? headers[olderUserIdHeader] !== undefined : paged;

/** Clients of one-api, which read lists newest first. */
export const isOneApi = ({ headers }: FastifyRequest): boolean =>
  headers[userIdHeader] === undefined && headers[olderUserIdHeader] === undefined;

const maxPage = 10_000_000;

const sizeOf = ({ page_size, size, ps }: Query): number =>
  queryNumber(page_size) || queryNumber(size) || queryNumber(ps);
