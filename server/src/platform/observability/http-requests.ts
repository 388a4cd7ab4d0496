import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify';
import type { Metrics } from './metrics.js';
import { secondsIn } from '../../shared/clock.js';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The logger of one request, created on its first line. Most requests log nothing, and a child logger costs as much as
 * routing.
 */
class RequestLogger {
  private made: FastifyBaseLogger | null = null;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly bindings: Bindings,
    private readonly options: Options,
  ) {}

  get level(): string {
    return this.parent.level;
  }

  fatal(...words: unknown[]): void {
    this.say('fatal', words);
  }
  error(...words: unknown[]): void {
    this.say('error', words);
  }
  warn(...words: unknown[]): void {
    this.say('warn', words);
  }
  info(...words: unknown[]): void {
    this.say('info', words);
  }
  debug(...words: unknown[]): void {
    this.say('debug', words);
  }
  trace(...words: unknown[]): void {
    this.say('trace', words);
  }
  silent(): void {
    // This level logs nothing.
  }

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.real().child(bindings, options);
  }

  private say(level: Level, words: unknown[]): void {
    const [first, ...rest] = words as [object, ...string[]];
    this.real()[level](first, ...rest);
  }

  private real(): FastifyBaseLogger {
    return (this.made ??= this.parent.child(this.bindings, this.options));
  }
}

/** The function for Fastify's `childLoggerFactory`. */
export const requestLogger = (parent: FastifyBaseLogger, bindings: Bindings, options: Options): FastifyBaseLogger =>
  new RequestLogger(parent, bindings, options) as FastifyBaseLogger;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the relay responds to this request and measures it itself. */
    taken: boolean;
  }
}

/**
 * Times every request that the relay does not handle, by its route pattern and never by its address. Registered first
 * and without its own scope, so that its hook covers everything registered after it.
 */
export function httpMetrics(metrics: Metrics): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.decorateRequest('taken', false);
    app.addHook('onResponse', (request, reply, done) => {
      if (!request.taken)
        metrics.httpDuration.observe(
          { method: request.method, route: request.routeOptions.url ?? 'none', status: String(reply.statusCode) },
          secondsIn(reply.elapsedTime),
        );
      done();
    });
  };
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
