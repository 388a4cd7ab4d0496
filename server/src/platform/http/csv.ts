import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { RestAnswer } from './rest.js';

/**
 * Streams a CSV file. An error before the first piece is returned as an ordinary failure. A later error breaks the
 * connection, so that the client notices the incomplete file.
 * @param name without its extension
 */
export async function sendCsv(reply: FastifyReply, name: string, pieces: AsyncIterable<string>): Promise<RestAnswer> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.header('content-type', 'text/csv; charset=utf-8');
  reply.header('content-disposition', `attachment; filename="${name}.csv"`);
  // For HEAD, Fastify would read the whole file and throw it away.
  const answer = Readable.from(reply.request.method === 'HEAD' ? [] : rest(first, iterator));
  // A client that disconnects stops the queries, even before the first piece.
  answer.once('close', () => void iterator.return?.().catch(() => undefined));
  return new RestAnswer(answer);
}

async function* rest(first: IteratorResult<string>, iterator: AsyncIterator<string>): AsyncGenerator<string> {
  for (let next = first; !next.done; next = await iterator.next()) yield next.value;
}
