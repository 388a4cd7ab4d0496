import type { FastifyRequest } from 'fastify';
import { toPageQuery, type ListQuery, type Slice, type Total } from '../../shared/page.js';
import { olderUserIdHeader, userIdHeader } from './authenticate.js';
import { queryNumber } from './query.js';

/**
 * Lists in the forms that the clients of each console of the family read
 * (docs/reference/rest/conventions.md#pagination).
 */

/** The parameters of `pages`. */
type Query = Readonly<Partial<Record<'p' | 'page' | 'page_size' | 'size' | 'ps', string>>>;

/** The form of a list for clients of Veloera. */
interface ListForm {
  /** Whether the list is `{ items, total, page, page_size }` from page 1. False: an array, from `p` 0. */
  readonly paged?: boolean;
  /** Number of rows of an array's page. The query cannot change it. */
  readonly fixedSize?: number;
  /** Number of rows if the query names no size. */
  readonly defaultSize?: number;
}

/** A list on the wire: the shape `listOf`. */
type WireRows<Row> =
  | readonly Row[]
  | {
      readonly items: readonly Row[];
      readonly total: number;
      readonly page: number;
      readonly page_size: number;
      readonly total_capped?: boolean;
    };

/** One page of a list, as services read it. */
export interface WireList extends ListQuery<never> {
  /** Returns the response. `more` contains further keys of the paged form. */
  readonly answer: <Row>(
    rows: readonly Row[],
    total: () => Promise<Pick<Total, 'count'>>,
    more?: { readonly total_capped: boolean },
  ) => Promise<WireRows<Row>>;
}

const unsorted = { after: null, sort: [] } as const;

/** Returns the page that a client asks for, in the form that the clients of its console read. */
export function wireList({ headers }: FastifyRequest, query: Query, form: ListForm = {}): WireList {
  if (!isPaged(headers, form)) {
    // Clients of one-hub send `page`, from 1, instead of `p`.
    const given = query.p === undefined ? queryNumber(query.page) - 1 : queryNumber(query.p);
    const page = Math.min(Math.max(0, given), maxPage);
    return {
      ...toPageQuery({ page, pageSize: form.fixedSize ?? (sizeOf(query) || form.defaultSize) }),
      ...unsorted,
      answer: async (rows) => rows,
    };
  }
  const { shown, page, pageSize } = pageFromOne(query, form.defaultSize);
  return {
    page,
    pageSize,
    ...unsorted,
    answer: async (items, total, more) => {
      const { count } = await total();
      return { items, total: count, ...more, page: shown, page_size: pageSize };
    },
  };
}

/** Reads the page that a client asks for, and returns it in the form that the clients of its console read. */
export async function wirePage<Row, Wire>(
  request: FastifyRequest,
  query: Query,
  form: ListForm,
  toWire: (row: Row) => Wire,
  read: (page: ListQuery<never>) => Promise<Pick<Slice<Row>, 'items' | 'total'>>,
): Promise<WireRows<Wire>> {
  const { answer, ...page } = wireList(request, query, form);
  const { items, total } = await read(page);
  return answer(
    items.map((row) => toWire(row)),
    total,
  );
}

/** Returns pages that start at 1 on the wire, in the form of `shown`. */
export function pageFromOne(
  query: Query,
  defaultSize?: number,
): { readonly shown: number; readonly page: number; readonly pageSize: number } {
  const shown = Math.min(Math.max(1, queryNumber(query.p) || queryNumber(query.page)), maxPage);
  return { shown, ...toPageQuery({ page: shown - 1, pageSize: sizeOf(query) || defaultSize }) };
}

/** Returns a list that clients of Veloera and one-api read as a whole, and clients of new-api by pages. */
export function wholeList<Row>(
  request: FastifyRequest,
  query: Query,
  items: readonly Row[],
  form: Pick<ListForm, 'paged'> = {},
): Promise<WireRows<Row>> {
  const total = async (): Promise<Pick<Total, 'count'>> => ({ count: items.length });
  if (!isPaged(request.headers, form)) return Promise.resolve(items);
  const list = wireList(request, query, { ...form, defaultSize: items.length });
  return list.answer(items.slice(list.page * list.pageSize, (list.page + 1) * list.pageSize), total);
}

/**
 * Whether the client reads pages. Clients of new-api send only its header, and read every list by pages. Clients of
 * one-api send no header and read every list as an array. Clients that send both headers read what Veloera returns.
 */
const isPaged = (headers: FastifyRequest['headers'], { paged = false }: ListForm): boolean =>
  headers[userIdHeader] === undefined ? headers[olderUserIdHeader] !== undefined : paged;

/** Whether the client sends the headers of Veloera and of new-api, so that it may be a reader of either. */
export const mayReadEither = ({ headers }: FastifyRequest): boolean =>
  headers[userIdHeader] !== undefined && headers[olderUserIdHeader] !== undefined;

/** Whether the client is one of one-api, whose clients read lists newest first. */
export const isOneApi = ({ headers }: FastifyRequest): boolean =>
  headers[userIdHeader] === undefined && headers[olderUserIdHeader] === undefined;

const maxPage = 10_000_000;

const sizeOf = ({ page_size, size, ps }: Query): number =>
  queryNumber(page_size) || queryNumber(size) || queryNumber(ps);
