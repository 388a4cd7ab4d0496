import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authenticate, sessionCookie, type Authenticator } from '../../platform/http/authenticate.js';
import { sendCsv } from '../../platform/http/csv.js';
import { int, listOf, pages, parameter, quota, type Wire } from '../../platform/http/openapi/operation.js';
import { pageFromOne, wireList } from '../../platform/http/paging.js';
import { queryNumber } from '../../platform/http/query.js';
import { routesFor } from '../../platform/http/route.js';
import type { OptionValues } from '../../options/option.service.js';
import type { KeyHolderService } from '../tokens/index.js';
import type { LogExport } from './log-export.js';
import { type PeopleCsv, peopleCsvOf } from './log-people-csv.js';
import type { LogListQuery, LogService } from './log.service.js';
import type { LogRate, LogSums } from './log-stat.js';
import { filters, keyRows, logShape, ownFilters, toExportFilter, toFilter, toOwnWires, toWire } from './log.wire.js';

interface LogDeps {
  readonly logService: LogService;
  readonly logExport: LogExport;
  readonly keyHolders: KeyHolderService;
  readonly authenticator: Authenticator;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
}

const route = routesFor<LogDeps>();
const reader = { may: 'logs.read' } as const;
const sumShape = z.object({
  quota: quota('Charged in the range'),
  rpm: int('Calls of the last 60 seconds'),
  tpm: int('Tokens of the last 60 seconds'),
});
const keyword = { keyword: parameter.words('A type, or the beginning of the content') };
const csv = { media: 'text/csv', example: {} } as const;

async function stat(sums: Promise<LogSums>, rate: Promise<LogRate>): Promise<Wire<typeof sumShape>> {
  const [{ quota }, { calls, tokens }] = await Promise.all([sums, rate]);
  return { quota, rpm: calls, tpm: tokens };
}

/** The form of an export for people; undefined for programs. */
const peopleOf = (query: Readonly<Record<string, string | undefined>>, { options }: LogDeps): PeopleCsv | undefined =>
  query['format'] === 'people' ? peopleCsvOf(query, options.values.QuotaPerUnit) : undefined;

/** `/api/log` (docs/reference/rest/logs-and-usage.md#log). */
export const logRoutes = [
  route('GET /api/log', {
    summary: 'Log of all users, newest first',
    caller: reader,
    query: { ...pages, ...filters },
    data: listOf(logShape),
    example: { query: { p: 1, type: 0 } },
    handle: async ({ logService }, { actor, query, request }) => {
      const { answer, ...page } = wireList(request, query, { paged: true });
      const found = await logService.list(actor, toFilter(query), counted(page));
      return answer(found.items.map(toWire), found.total, { total_capped: (await found.total()).capped });
    },
  }),
  route('GET /api/log/self', {
    summary: 'The own log, newest first',
    description: 'Without channels, `budgets` and `admin_info`.',
    caller: 'user',
    query: { ...pages, ...ownFilters },
    data: listOf(logShape),
    example: { query: { p: 1 } },
    handle: async ({ logService }, { actor, query, request }) => {
      const { answer, ...page } = wireList(request, query, { paged: true });
      const found = await logService.listOwn(actor, toFilter(query), counted(page));
      const total = await found.total();
      const items = toOwnWires(found.items, total.count - page.page * page.pageSize);
      return answer(items, found.total, { total_capped: total.capped });
    },
  }),
  route('GET /api/log/stat', {
    summary: 'Sums of the log of all users',
    caller: reader,
    query: filters,
    data: sumShape,
    example: {},
    handle: ({ logService }, { actor, query }) =>
      stat(logService.sums(actor, toFilter(query)), logService.rate(actor, toFilter(query))),
  }),
  route('GET /api/log/self/stat', {
    summary: 'Sums of the own log',
    caller: 'user',
    query: ownFilters,
    data: sumShape,
    example: {},
    handle: ({ logService }, { actor, query }) =>
      stat(logService.sumsOwn(actor, toFilter(query)), logService.rateOwn(actor, toFilter(query))),
  }),
  route('GET /api/log/search', {
    summary: 'Search the newest rows of all users',
    description: 'At most 100 rows. Calls are searched among the newest 10,000 rows.',
    caller: reader,
    query: keyword,
    data: z.array(logShape),
    example: { query: { keyword: 'New' } },
    handle: async ({ logService }, { actor, query }) =>
      (await logService.search(actor, query.keyword ?? '')).map(toWire),
  }),
  route('GET /api/log/self/search', {
    summary: 'Search the newest own rows',
    caller: 'user',
    query: keyword,
    data: z.array(logShape),
    example: { query: { keyword: 'New' } },
    handle: async ({ logService }, { actor, query }) => {
      const rows = await logService.searchOwn(actor, query.keyword ?? '');
      return toOwnWires(rows, rows.length);
    },
  }),
  route('GET /api/log/token', {
    summary: 'Log of one key',
    description:
      '100 rows a page. The key in `?key=`, in `x-api-key` or as a bearer token needs no user, and works from its allowed addresses only. A signed-in user reads own keys, from everywhere.',
    caller: 'open',
    role: 'key',
    query: { ...pages, key: parameter.words('The key') },
    data: z.array(logShape),
    errors: ['IP_NOT_ALLOWED'],
    example: {},
    handle: async ({ logService, keyHolders, authenticator }, { query, request }) => {
      const list = counted(pageFromOne(query, 100));
      const held = keyOfCaller(request, query.key);
      if (held !== null)
        return keyRows(await logService.listOfHeldKey(await keyHolders.find(held, request.ip), list), list);
      const actor = await authenticate(request, authenticator);
      return keyRows(await logService.listOfKey(actor, givenKey(request, query.key), list), list);
    },
  }),
  route('GET /api/log/export', {
    ...csv,
    summary: 'Log of all users as CSV',
    caller: reader,
    query: filters,
    errors: ['CONFIRMATION_NEEDED'],
    handle: async (deps, { actor, query, rawQuery, reply }) =>
      sendCsv(
        reply,
        'logs',
        await deps.logExport.all(actor, toExportFilter(query, rawQuery), peopleOf(rawQuery, deps)),
      ),
  }),
  route('GET /api/log/self/export', {
    ...csv,
    summary: 'The own log as CSV',
    caller: 'user',
    query: ownFilters,
    handle: async (deps, { actor, query, rawQuery, reply }) =>
      sendCsv(
        reply,
        'logs',
        await deps.logExport.own(actor, toExportFilter(query, rawQuery), peopleOf(rawQuery, deps)),
      ),
  }),
  route('DELETE /api/log', {
    summary: 'Delete old rows',
    description: '0 is refused.',
    caller: { may: 'logs.delete' },
    query: {
      target_timestamp: z
        .string()
        .transform(queryNumber)
        .catch(0)
        .meta({ description: 'Rows before this Unix second go', type: 'integer' }),
    },
    data: int('Number of rows deleted'),
    errors: ['INVALID_INPUT'],
    example: { query: { target_timestamp: 1 } },
    handle: ({ logService }, { actor, query }) => logService.deleteBefore(actor, query.target_timestamp),
  }),
];

const counted = ({ page, pageSize }: Pick<LogListQuery, 'page' | 'pageSize'>): LogListQuery => ({
  page,
  pageSize,
  after: null,
  sort: [],
  counted: true,
});

/** Returns the key in the query or in `x-api-key`. A header, unlike a URL, is not written to the logs of proxies. */
const givenKey = ({ headers }: FastifyRequest, key = ''): string => key || first(headers['x-api-key']);

/**
 * Returns the key that authenticates the caller: `Bearer sk-…`, or a key in the query when there is nothing else. Null
 * when a session or access token authenticates them.
 */
function keyOfCaller(request: FastifyRequest, key: string | undefined): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^(Bearer\s+)?sk-/i.test(authorization) ? authorization : null;
  return request.cookies[sessionCookie] === undefined ? givenKey(request, key) || null : null;
}

const first = (given: string | string[] | undefined): string => (Array.isArray(given) ? given[0] : given) ?? '';
