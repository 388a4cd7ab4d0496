import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify';
import type { Metrics } from './metrics.js';

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
    // Intentionally empty.
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

/** For Fastify's `childLoggerFactory`. */
export const requestLogger = (parent: FastifyBaseLogger, bindings: Bindings, options: Options): FastifyBaseLogger =>
  new RequestLogger(parent, bindings, options) as FastifyBaseLogger;

declare module 'fastify' {
  interface FastifyRequest {
    /** The relay answers this one itself, and measures it. */
    taken: boolean;
  }
}

/**
 * Times every request that the relay does not take by its route pattern, never its address. Registered first and
 * without a scope
 * of its own, so that its hook covers what is registered after it.
 */
export function httpMetrics(metrics: Metrics): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.decorateRequest('taken', false);
    app.addHook('onResponse', (request, reply, done) => {
      if (!request.taken)
        metrics.httpDuration.observe(
          { method: request.method, route: request.routeOptions.url ?? 'none', status: String(reply.statusCode) },
          reply.elapsedTime / 1000,
        );
      done();
    });
  };
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
