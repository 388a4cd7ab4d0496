import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import pg from 'pg';

interface Served {
  readonly server: { readonly app: { readonly server: Server } };
}

/** The statements of one request: those of jobs and of other requests are not counted. */
const requested = new AsyncLocalStorage<string[]>();

/** @returns the SQL of the statements that the requests of `ask` run, without those that identify the caller */
export async function countStatements(site: Served, ask: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const { server } = site.server.app;
  const emit = server.emit.bind(server);
  const requests = jest
    .spyOn(server, 'emit')
    .mockImplementation((event, ...rest: unknown[]) => requested.run(statements, () => emit(event, ...(rest as []))));
  const query = pg.Client.prototype.query as (this: pg.Client, ...parts: unknown[]) => unknown;
  const queries = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parts) {
    requested.getStore()?.push(textOf(parts[0]));
    return query.apply(this, parts) as never;
  });
  try {
    await ask();
  } finally {
    requests.mockRestore();
    queries.mockRestore();
  }
  // The caller is cached for a second, so its statements vary.
  return statements.filter(
    (text) => !/FROM "sessions" "Session" WHERE \(\("Session"."id_hash"|"User"\."id" = \$1/.test(text),
  );
}

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : ((query as { text?: string } | null)?.text ?? '');
