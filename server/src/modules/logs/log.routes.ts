import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { pageFromOne, queryNumber } from '../../http/query.js';
import { sendCsv } from '../../http/csv.js';
import type { RestContext, RestHandlers } from '../../http/rest.js';
import type { Actor } from '../../shared/actor.js';
import { toPageQuery, type PageQuery } from '../../shared/page.js';
import type { LogExport } from './log-export.service.js';
import type { LogFilter, LogPage, LogService, LogStat } from './log.service.js';
import { toFilter, toPageWire, toWire } from './log.wire.js';

type Context = RestContext<Actor>;

/** `/api/log` (docs/reference/rest/logs-and-usage.md#log). */
export const logRoutes =
  (logService: LogService, logExport: LogExport, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const list = async (
      { actor, query }: Context,
      read: (actor: Actor, filter: LogFilter, page: PageQuery) => Promise<LogPage>,
    ): Promise<unknown> => {
      const { shown, page } = pageFromOne(query.p);
      const pageQuery = toPageQuery({ page, pageSize: queryNumber(query.page_size) });
      return toPageWire(await read(actor, toFilter(query), pageQuery), shown, pageQuery.pageSize);
    };
    const stat = async (
      { actor, query }: Context,
      read: (actor: Actor, filter: LogFilter) => Promise<LogStat>,
    ): Promise<unknown> => {
      const { quota, rpm, tpm } = await read(actor, toFilter(query));
      return { quota, rpm, tpm };
    };

    app.get(
      '/',
      rest.user((context) => list(context, logService.list.bind(logService))),
    );
    app.get(
      '/self',
      rest.user((context) => list(context, logService.listOwn.bind(logService))),
    );
    app.get(
      '/stat',
      rest.user((context) => stat(context, logService.stat.bind(logService))),
    );
    app.get(
      '/self/stat',
      rest.user((context) => stat(context, logService.statOwn.bind(logService))),
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
      rest.user(async ({ actor, query }) => (await logService.searchOwn(actor, query.keyword ?? '')).map(toWire)),
    );
    app.get(
      '/token',
      rest.user(async ({ actor, query, request }) => {
        const page = toPageQuery({ page: pageFromOne(query.p).page, pageSize: queryNumber(query.page_size) || 100 });
        return (await logService.listOfKey(actor, query.key || keyHeader(request), page)).map(toWire);
      }),
    );
    app.delete(
      '/',
      rest.user(({ actor, query }) => logService.deleteBefore(actor, queryNumber(query.target_timestamp))),
    );
  };

/** Addresses end up in logs of proxies; a header does not. */
function keyHeader(request: FastifyRequest): string {
  const given = request.headers['x-api-key'];
  return (Array.isArray(given) ? given[0] : given) ?? '';
}
