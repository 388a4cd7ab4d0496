import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { pageFromOne, queryNumber } from '../../http/query.js';
import { sendCsv } from '../../http/csv.js';
import type { RestHandlers } from '../../http/rest.js';
import { toPageQuery } from '../../shared/page.js';
import type { LogExport } from './log-export.service.js';
import type { LogListQuery, LogRate, LogService, LogSums } from './log.service.js';
import { toFilter, toOwnWires, toPageWire, toWire } from './log.wire.js';

/** `/api/log` (docs/reference/rest/logs-and-usage.md#log). */
export const logRoutes =
  (logService: LogService, logExport: LogExport, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const stat = async (
      sums: Promise<LogSums>,
      rate: Promise<LogRate>,
    ): Promise<{ quota: number; rpm: number; tpm: number }> => {
      const [{ quota }, { calls, tokens }] = await Promise.all([sums, rate]);
      return { quota, rpm: calls, tpm: tokens };
    };

    app.get(
      '/',
      rest.user(async ({ actor, query }) => {
        const { shown, list } = pageOf(query);
        const page = await logService.list(actor, toFilter(query), list);
        return toPageWire(page.items.map(toWire), await page.total(), shown, list.pageSize);
      }),
    );
    app.get(
      '/self',
      rest.user(async ({ actor, query }) => {
        const { shown, list } = pageOf(query);
        const page = await logService.listOwn(actor, toFilter(query), list);
        const total = await page.total();
        const items = toOwnWires(page.items, total.count - list.page * list.pageSize);
        return toPageWire(items, total, shown, list.pageSize);
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
      rest.admin(async ({ actor, query, reply }) =>
        sendCsv(reply, 'logs', await logExport.all(actor, toFilter(query))),
      ),
    );
    app.get(
      '/self/export',
      rest.user(async ({ actor, query, reply }) => sendCsv(reply, 'logs', logExport.own(actor, toFilter(query)))),
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
    app.get(
      '/token',
      rest.user(async ({ actor, query, request }) => {
        const { list } = pageOf(query, 100);
        const page = await logService.listOfKey(actor, query.key || keyHeader(request), list);
        return toOwnWires(page.items, (await page.total()).count - list.page * list.pageSize);
      }),
    );
    app.delete(
      '/',
      rest.user(({ actor, query }) => logService.deleteBefore(actor, queryNumber(query.target_timestamp))),
    );
  };

/** Pages start at 1 here. */
function pageOf(
  query: Readonly<Record<string, string | undefined>>,
  defaultSize = 0,
): { shown: number; list: LogListQuery } {
  const { shown, page } = pageFromOne(query['p']);
  const { pageSize } = toPageQuery({ page, pageSize: queryNumber(query['page_size']) || defaultSize });
  return { shown, list: { page, pageSize, after: null, sort: [], counted: true } };
}

/** A header, unlike an address, does not end up in the logs of proxies. */
function keyHeader(request: FastifyRequest): string {
  const given = request.headers['x-api-key'];
  return (Array.isArray(given) ? given[0] : given) ?? '';
}
