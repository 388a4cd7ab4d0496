import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The logger of one request, made when the request first has something to say: almost none has, and making a child costs
 * as much as finding the route.
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
    // Says nothing, as its name promises.
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
