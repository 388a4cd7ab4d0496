import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Authenticator } from '../http/authenticate.js';
import { requireAccount, type Actor } from '../../shared/actor.js';
import { AppError, InvalidInputError, isAppError } from '../../shared/errors.js';
import { currentActor, endVisit } from './context.js';
import { EventSocket } from './event-socket.js';
import { formatErrors } from './format-error.js';
import type { StreamContext } from './live-sources.js';
import { Loaders } from './loaders.js';
import type { OpenStreams } from './open-streams.js';
import { openSubscription, parseStreamRequest, type Results } from './subscribe.js';

const bodyLimit = 64 * 1024;
/** Milliseconds. The maximum delay between revocation and the end of the stream, even if the client does not read. */
const lastWordsMilliseconds = 500;

export interface StreamDeps {
  readonly schema: GraphQLSchema;
  readonly authenticator: Authenticator;
  /** Event sources of the subscriptions (`live-sources.ts`). */
  readonly live: object;
  readonly streams: OpenStreams;
  readonly report: (error: unknown) => void;
}

/**
 * `POST /graphql/stream`: one subscription as server-sent events (graphql-sse, distinct connections). JSON bodies only,
 * with the same two protections against cross-site requests as everywhere.
 */
export function mountStreams(app: FastifyInstance, deps: StreamDeps): void {
  const { schema, authenticator, live, streams, report } = deps;
  const format = formatErrors(report);
  const ofFailure = (error: AppError): object => ({ errors: [format({ message: error.message }, error)] });
  const ofResult = ({ errors, ...result }: ExecutionResult): object => ({
    ...result,
    ...(errors && { errors: errors.map((error) => format(error.toJSON(), error)) }),
  });

  app.post('/graphql/stream', { bodyLimit }, async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.headers.accept?.includes('text/event-stream')) {
      throw new InvalidInputError('Subscriptions require Accept: text/event-stream');
    }
    const asked = parseStreamRequest(request.body);
    const lifecycle = new StreamLifecycle();
    const identify = async (): Promise<Actor> => requireAccount(await currentActor(request, authenticator), 'keys.own');
    const admit = async (): Promise<StreamContext> => {
      const actor = await identify();
      lifecycle.onOver(streams.add({ actor, identify, end: (reason) => lifecycle.end(reason) }));
      return { actor, request, reply, live, loaders: new Loaders(false) };
    };
    const opened = await openSubscription(schema, asked, admit).catch((error: unknown) => {
      lifecycle.over();
      if (isAppError(error)) return error;
      throw error;
    });
    endVisit(request);
    reply.hijack();
    const socket = new EventSocket(reply.raw, reply.getHeaders() as OutgoingHttpHeaders, () => lifecycle.leave());
    if (isAppError(opened)) await socket.next(ofFailure(opened));
    else if ('errors' in opened) await socket.next(ofResult(opened));
    else await pump(opened, socket);
    lifecycle.over();
    socket.complete();

    async function pump(results: Results, to: EventSocket): Promise<void> {
      lifecycle.feed(results, to);
      try {
        for await (const result of results) if (!(await to.next(ofResult(result)))) return;
      } catch (error) {
        report(error);
        lifecycle.end(new AppError('INTERNAL_ERROR', 'the stream failed'));
      }
      if (lifecycle.failure) await to.next(ofFailure(lifecycle.failure));
    }
  });
}

/** The lifecycle of a stream, which several events may end, in any order. */
class StreamLifecycle {
  failure: AppError | null = null;
  private left = false;
  private results: Results | null = null;
  private socket: EventSocket | null = null;
  private forget: () => void = () => undefined;

  onOver(forget: () => void): void {
    this.forget = forget;
  }

  feed(results: Results, socket: EventSocket): void {
    this.results = results;
    this.socket = socket;
    if (this.failure) socket.closeWithin(lastWordsMilliseconds);
    if (this.failure || this.left) void results.return();
  }

  /** Ends the stream by the server: the reason is sent to the client. */
  end(reason: AppError): void {
    if (this.failure || this.left) return;
    this.failure = reason;
    this.socket?.closeWithin(lastWordsMilliseconds);
    void this.results?.return();
  }

  /** Ends the stream by the client. */
  leave(): void {
    this.left = true;
    void this.results?.return();
  }

  over(): void {
    this.forget();
  }
}
