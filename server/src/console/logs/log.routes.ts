import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { pageFromOne, wireList } from '../../platform/http/paging.js';
import { queryNumber } from '../../platform/http/query.js';
import { sessionCookie } from '../../platform/http/authenticate.js';
import { sendCsv } from '../../platform/http/csv.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import type { OptionValues } from '../../options/option.service.js';
import type { KeyHolderService } from '../tokens/index.js';
import type { LogExport } from './log-export.js';
import { peopleCsvOf } from './log-people-csv.js';
import type { LogListQuery, LogService } from './log.service.js';
import type { LogRate, LogSums } from './log-stat.js';
import { keyRows, toFilter, toOwnWires, toPeopleFilter, toWire } from './log.wire.js';

/** `/api/log` (docs/reference/rest/logs-and-usage.md#log). */
export const logRoutes =
  (
    logService: LogService,
    logExport: LogExport,
    keys: KeyHolderService,
    rest: RestHandlers,
    options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> },
  ): FastifyPluginAsync =>
  async (app) => {
    const people = (query: Readonly<Record<string, string | undefined>>) =>
      query['format'] === 'people' ? peopleCsvOf(query, options.values.QuotaPerUnit) : undefined;
    const filterOf = (query: Readonly<Record<string, string | undefined>>) =>
      query['format'] === 'people' ? toPeopleFilter(query) : toFilter(query);
    const stat = async (
      sums: Promise<LogSums>,
      rate: Promise<LogRate>,
    ): Promise<{ quota: number; rpm: number; tpm: number }> => {
      const [{ quota }, { calls, tokens }] = await Promise.all([sums, rate]);
      return { quota, rpm: calls, tpm: tokens };
    };

    app.get(
      '/',
      rest.user(async ({ actor, query, request }) => {
        const { answer, ...page } = wireList(request, query, { paged: true });
        const found = await logService.list(actor, toFilter(query), counted(page));
        return answer(found.items.map(toWire), found.total, { total_capped: (await found.total()).capped });
      }),
    );
    app.get(
      '/self',
      rest.user(async ({ actor, query, request }) => {
        const { answer, ...page } = wireList(request, query, { paged: true });
        const found = await logService.listOwn(actor, toFilter(query), counted(page));
        const total = await found.total();
        const items = toOwnWires(found.items, total.count - page.page * page.pageSize);
        return answer(items, found.total, { total_capped: total.capped });
      }),
    );
    app.get(
      '/stat',
      rest.user(({ actor, query }) =>
        stat(logService.sums(actor, toFilter(query)), logService.rate(actor, toFilter(query))),
      ),
    );
    app.get(
      '/self/stat',
      rest.user(({ actor, query }) =>
        stat(logService.sumsOwn(actor, toFilter(query)), logService.rateOwn(actor, toFilter(query))),
      ),
    );
    app.get(
      '/export',
      rest.may('logs.read', async ({ actor, query, reply }) =>
        sendCsv(reply, 'logs', await logExport.all(actor, filterOf(query), people(query))),
      ),
    );
    app.get(
      '/self/export',
      rest.user(async ({ actor, query, reply }) =>
        sendCsv(reply, 'logs', logExport.own(actor, filterOf(query), people(query))),
      ),
    );
    app.get(
      '/search',
      rest.user(async ({ actor, query }) => (await logService.search(actor, query.keyword ?? '')).map(toWire)),
    );
    app.get(
      '/self/search',
      rest.user(async ({ actor, query }) => {
        const rows = await logService.searchOwn(actor, query.keyword ?? '');
        return toOwnWires(rows, rows.length);
      }),
    );
    const ofOwnKey = rest.user(async ({ actor, query, request }) => {
      const list = counted(pageFromOne(query, 100));
      return keyRows(await logService.listOfKey(actor, givenKey(request), list), list);
    });
    const ofHeldKey = rest.open(async ({ query, request }) => {
      const list = counted(pageFromOne(query, 100));
      const key = await keys.find(keyOfCaller(request) ?? '', request.ip);
      return keyRows(await logService.listOfHeldKey(key, list), list);
    });
    app.get('/token', function (request, reply) {
      return (keyOfCaller(request) === null ? ofOwnKey : ofHeldKey).call(this, request, reply);
    });
    app.delete(
      '/',
      rest.user(({ actor, query }) => logService.deleteBefore(actor, queryNumber(query.target_timestamp))),
    );
  };

const counted = ({ page, pageSize }: Pick<LogListQuery, 'page' | 'pageSize'>): LogListQuery => ({
  page,
  pageSize,
  after: null,
  sort: [],
  counted: true,
});

/** Returns the key in the query or in `x-api-key`. A header, unlike a URL, is not written to the logs of proxies. */
function givenKey({ query, headers }: FastifyRequest): string {
  const { key } = query as { key?: string | string[] };
  return first(key) || first(headers['x-api-key']);
}

/**
 * Returns the key that authenticates the caller: `Bearer sk-…`, or a key in the query when there is nothing else. Null
 * when a session or access token authenticates them.
 */
function keyOfCaller(request: FastifyRequest): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^(Bearer\s+)?sk-/i.test(authorization) ? authorization : null;
  return request.cookies[sessionCookie] === undefined ? givenKey(request) || null : null;
}

const first = (given: string | string[] | undefined): string => (Array.isArray(given) ? given[0] : given) ?? '';
