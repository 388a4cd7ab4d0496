import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { otlpEnvironment } from './observability/otlp/otlp-environment.js';
import { otlpSettings, type OtlpSettings } from './observability/otlp/otlp-settings.js';
import { programRoots } from './http/not-found.js';
import {
  flag,
  hostsAndRanges,
  httpAddress,
  postgresAddress,
  proxies,
  redisHosts,
  serverAddress,
  whole,
} from '../shared/environment-values.js';
import { millisecondsIn } from '../shared/clock.js';

const httpUrl = (fallback: string) => httpAddress.default(fallback);

const secret = z.string().min(16, 'must have at least 16 characters').optional();

/** Processes that serve calls; `auto`: one for each core. */
const workers = z
  .string()
  .regex(/^(auto|[1-9]\d?)$/, 'must be auto or a whole number from 1 to 99')
  .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)))
  .default(1);

/** First parts of the server's own paths. */
const ownRoots: readonly string[] = [
  ...['v1', 'v1beta', 'api', 'graphql', 'docs', 'assets', 'mj', 'suno', 'pg', 'dashboard'],
  ...['healthz', 'readyz', 'metrics'],
  ...programRoots,
];

/** The path of the site below its host. The first part of a path of ours would hide what is served there. */
const basePath = z
  .string()
  .trim()
  .transform((text) => text.replace(/\/+$/, ''))
  .pipe(
    z
      .string()
      .regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/, 'must be a path such as /gw')
      .refine((text) => !ownRoots.includes(text.split('/')[1] ?? ''), 'is a path of the server'),
  )
  .default('');

const postgresUrl = postgresAddress.optional();

const redisUrl = serverAddress(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL')
  .refine(
    (text) => URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname),
    'may name a database only by its number, such as redis://host:6379/2',
  )
  .optional();

/** Every environment variable the server reads. A test compares the list with docs/configuration.md. */
export const environmentSchema = z.object({
  PORT: whole(3000, 0, 65_535),
  HOST: z.string().default('0.0.0.0'),
  BASE_PATH: basePath,
  WORKERS: workers,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: postgresUrl,
  SQL_DSN: postgresUrl,
  DATABASE_POOL_SIZE: whole(20, 2, 500),
  DATABASE_DIRECT_URL: postgresUrl,
  DATABASE_PREPARED_STATEMENTS: flag(true),
  DATABASE_READ_URL: postgresUrl,
  DATABASE_READ_MAX_LAG: whole(30, 2, 86_400),
  REDIS_URL: redisUrl,
  REDIS_CONN_STRING: redisUrl,
  REDIS_CLUSTER_NODES: redisHosts,
  REDIS_SENTINELS: redisHosts,
  REDIS_SENTINEL_NAME: z.string().default('mymaster'),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w:.-]{1,64}$/, 'must be up to 64 letters, digits, and signs of _:.-')
    .default('tollgate:'),
  SESSION_SECRET: secret.refine((text) => text !== 'random_string', 'must not be the literal "random_string"'),
  ENCRYPTION_KEY: secret,
  TRUSTED_PROXIES: proxies,
  OUTBOUND_ALLOW: hostsAndRanges,
  GLOBAL_API_RATE_LIMIT_ENABLE: flag(true),
  GLOBAL_API_RATE_LIMIT: whole(180, 1),
  GLOBAL_API_RATE_LIMIT_DURATION: whole(180, 1),
  GRAPHQL_COST_PER_MINUTE: whole(100_000, 100),
  GLOBAL_WEB_RATE_LIMIT_ENABLE: flag(true),
  GLOBAL_WEB_RATE_LIMIT: whole(60, 1),
  GLOBAL_WEB_RATE_LIMIT_DURATION: whole(180, 1),
  SYNC_FREQUENCY: whole(60, 1, 86_400),
  RELAY_TIMEOUT: whole(0, 0, 86_400),
  STREAMING_TIMEOUT: whole(60, 1, 86_400),
  DISCONNECTED_CALL_TIMEOUT: whole(120, 0, 3600),
  FORCE_STREAM_OPTION: flag(true),
  RESPONSE_STORAGE_SECONDS: whole(3600, 0, 2_592_000),
  AZURE_DEFAULT_API_VERSION: z.string().trim().min(1).default('2024-12-01-preview'),
  MAX_REQUEST_BODY_MB: whole(64, 1, 1024),
  REQUEST_BODIES_MB: whole(192, 1, 1_048_576),
  IMPORT_MAX_FILE_MB: whole(4096, 1, 1_048_576),
  REQUEST_BODY_GRACE: whole(15, 1, 3600),
  REQUEST_BODY_TIMEOUT: whole(900, 1, 86_400),
  MAX_CONNECTIONS: whole(0, 0, 10_000_000),
  MAX_CONNECTIONS_PER_ADDRESS: whole(0, 0, 10_000_000),
  OVERLOAD_HEAP_PERCENT: whole(90, 0, 100),
  OVERLOAD_LOOP_DELAY: whole(1000, 0, 3_600_000),
  OVERLOAD_DATABASE_WAIT: whole(5000, 0, 3_600_000),
  SHUTDOWN_DELAY: whole(0, 0, 600),
  SHUTDOWN_TIMEOUT: whole(30, 1, 3600),
  NODE_HEARTBEAT_INTERVAL: whole(5, 1, 3600),
  NODE_DEAD_AFTER: whole(20, 2, 86_400),
  UPDATE_TASK: flag(true),
  TASK_POLL_INTERVAL: whole(15, 1, 3600),
  METRICS_TOKEN: secret,
  LOG_RETENTION_DAYS: whole(0, 0, 36_500),
  CHANNEL_TEST_FREQUENCY: whole(0, 0, 525_600),
  CHANNEL_UPDATE_FREQUENCY: whole(0, 0, 525_600),
  POLLING_INTERVAL: whole(0, 0, 3600),
  GENERATE_DEFAULT_TOKEN: flag(false),
  NOTIFY_LIMIT_COUNT: whole(2, 1, 1000),
  NOTIFICATION_LIMIT_DURATION_MINUTE: whole(10, 1, 60),
  GITHUB_URL: httpUrl('https://github.com'),
  GITHUB_API_URL: httpUrl('https://api.github.com'),
  LINUXDO_URL: httpUrl('https://connect.linux.do'),
  TURNSTILE_URL: httpUrl('https://challenges.cloudflare.com'),
  RELEASES_URL: httpAddress.optional(),
  PAYMENT_API_URL: httpAddress.optional(),
  PAYMENT_SWEEP_INTERVAL: whole(60, 1, 3600),
  ...otlpEnvironment,
});

export interface Config {
  readonly port: number;
  readonly host: string;
  /** The path of the site below its host, such as `/gw`; empty for none. */
  readonly basePath: string;
  readonly logLevel: string;
  /** Number of processes that serve calls; 1: this one alone. */
  readonly workers: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Absent: the embedded database under `dataDir`. */
  readonly databaseUrl?: string;
  readonly databasePoolSize: number;
  /** The address of the database without a pooler, for sessions that outlive a transaction. Absent: `databaseUrl`. */
  readonly databaseDirectUrl?: string;
  /** Whether the ledger keeps prepared statements on its connections. */
  readonly databasePreparedStatements: boolean;
  /** A replica for reads that may lag by `maxLag` seconds. */
  readonly databaseReplica?: { readonly url: string; readonly maxLag: number };
  /** Absent: shared state lives in this process. */
  readonly redis?: (
    | { readonly kind: 'single'; readonly url: string }
    | { readonly kind: 'cluster'; readonly nodes: string[]; readonly url?: string }
    | { readonly kind: 'sentinel'; readonly sentinels: string[]; readonly name: string; readonly url?: string }
  ) & {
    /** Prefix of every key and channel. Sites that share a Redis need different prefixes. */
    readonly prefix?: string;
  };
  /** Absent only with the embedded database, in which case it is created once under `dataDir`. */
  readonly sessionSecret?: string;
  readonly encryptionKey?: string;
  /** Addresses or CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: string[];
  /** Hosts and CIDR ranges that guarded outbound calls may reach although they are not public. */
  readonly outboundAllow: string[];
  readonly apiRateLimit: { readonly enabled: boolean; readonly count: number; readonly seconds: number };
  /** GraphQL cost that one credential may spend per minute (`platform/graphql/cost.ts`). */
  readonly graphqlCostPerMinute: number;
  readonly webRateLimit: { readonly enabled: boolean; readonly count: number; readonly seconds: number };
  readonly syncSeconds: number;
  /** Milliseconds. */
  readonly relay: {
    readonly firstByteTimeout: number;
    readonly idleTimeout: number;
    readonly disconnectedTimeout: number;
    readonly forceStreamUsage: boolean;
    readonly azureVersion: string;
    /** Seconds. */
    readonly responseSeconds: number;
    readonly maxBodyBytes: number;
    /** The size of all bodies that a node holds at once. */
    readonly bodiesBytes: number;
  };
  /** When a slow request body is closed: milliseconds, and bytes per second. */
  readonly bodyPace: { readonly grace: number; readonly minRate: number; readonly maxTime: number };
  /**
   * Maximum number of client connections, in total and per address; 0: derived from the descriptor limit of the
   * process.
   */
  readonly connections: { readonly total: number; readonly perAddress: number };
  /** Thresholds above which a node refuses new calls: percent of the heap, milliseconds. 0 is off. */
  readonly overload: { readonly heapPercent: number; readonly loopDelay: number; readonly databaseWait: number };
  /** Largest database file that root may upload in the console. */
  readonly importMaxFileBytes: number;
  /** For how long a stopping node still accepts calls while `/readyz` fails. */
  readonly shutdownDelayMilliseconds: number;
  readonly shutdownMilliseconds: number;
  /** Seconds between two heartbeats of a node, and after how many without one another node releases its reservations. */
  readonly nodeLife: { readonly heartbeat: number; readonly deadAfter: number };
  /** Whether this node polls providers for drawings and music, and how often. */
  readonly taskPolling: { readonly enabled: boolean; readonly seconds: number };
  /** When set, `/metrics` requires it as a bearer token. */
  readonly metricsToken?: string;
  /** Users who register with a password get a first API key. */
  readonly generateDefaultToken: boolean;
  /** Limit of notifications of one type to one user: within `seconds`, and within the same hour. */
  readonly notifyLimit: { readonly count: number; readonly seconds: number };
  /** Base URLs of sign-in providers: changed only for tests and self-hosted variants. Without a trailing slash. */
  readonly signIn: {
    readonly github: string;
    readonly githubApi: string;
    readonly linuxDo: string;
    readonly turnstile: string;
  };
  /** Export of spans and metrics; absent: none. */
  readonly otlp?: OtlpSettings | undefined;
  /** URL that describes the newest release; absent: updates are not checked. */
  readonly releasesUrl?: string;
  /** Replaces the address of the API of a payment provider. */
  readonly paymentApiUrl?: string;
  readonly paymentSweepMilliseconds: number;
  /** 0 keeps logs indefinitely. */
  readonly logRetentionDays: number;
  /** Minutes between scheduled runs over all channels (0: never), and milliseconds between two channels of a run. */
  readonly channelSchedules: { readonly testMinutes: number; readonly balanceMinutes: number; readonly pause: number };
}

/** Invalid configuration: one clear line per problem. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Connections that each worker needs beside its part of the pool: the ledger's, the migration lock. */
const connectionsOfWorker = 10;

/** Connections to the database that all processes of this server may have. */
export const databaseConnections = ({ workers, databasePoolSize }: Config): number =>
  workers > 1 ? databasePoolSize + workers * connectionsOfWorker : databasePoolSize;

/**
 * @param environment usually `process.env`; an empty string counts as not set
 * @throws ConfigError naming every wrong variable
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const env = parsed.data;
  const databaseUrl = env.DATABASE_URL ?? env.SQL_DSN;
  const url = env.REDIS_URL ?? env.REDIS_CONN_STRING;

  const problems: string[] = [];
  if (databaseUrl) {
    // Several nodes must share them, so no node may generate its own.
    if (!env.SESSION_SECRET) problems.push('SESSION_SECRET: required when DATABASE_URL is set');
    if (!env.ENCRYPTION_KEY) problems.push('ENCRYPTION_KEY: required when DATABASE_URL is set');
  }
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    if (env[name] && !databaseUrl) problems.push(`${name}: needs DATABASE_URL`);
  }
  if (env.DATABASE_READ_MAX_LAG < 2 * env.NODE_HEARTBEAT_INTERVAL) {
    // The lag is measured by heartbeats.
    problems.push('DATABASE_READ_MAX_LAG: must be at least twice NODE_HEARTBEAT_INTERVAL');
  }
  if (env.REDIS_CLUSTER_NODES.length > 0 && env.REDIS_SENTINELS.length > 0) {
    problems.push('REDIS_SENTINELS: set either this or REDIS_CLUSTER_NODES, not both');
  }
  if (env.REDIS_CLUSTER_NODES.length > 0 && url && /[1-9]/.test(new URL(url).pathname)) {
    const name = env.REDIS_URL ? 'REDIS_URL' : 'REDIS_CONN_STRING';
    problems.push(`${name}: may not name a database with REDIS_CLUSTER_NODES: a cluster has only database 0`);
  }
  if (env.NODE_DEAD_AFTER < 2 * env.NODE_HEARTBEAT_INTERVAL) {
    problems.push('NODE_DEAD_AFTER: must be at least twice NODE_HEARTBEAT_INTERVAL');
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const prefix = env.REDIS_KEY_PREFIX;
  let redis: Config['redis'];
  if (env.REDIS_CLUSTER_NODES.length > 0)
    redis = { kind: 'cluster', nodes: env.REDIS_CLUSTER_NODES, prefix, ...(url ? { url } : {}) };
  else if (env.REDIS_SENTINELS.length > 0) {
    redis = {
      kind: 'sentinel',
      sentinels: env.REDIS_SENTINELS,
      name: env.REDIS_SENTINEL_NAME,
      prefix,
      ...(url ? { url } : {}),
    };
  } else if (url) redis = { kind: 'single', url, prefix };

  return {
    port: env.PORT,
    host: env.HOST,
    basePath: env.BASE_PATH,
    logLevel: env.LOG_LEVEL,
    workers: env.WORKERS,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    ...(env.DATABASE_DIRECT_URL ? { databaseDirectUrl: env.DATABASE_DIRECT_URL } : {}),
    databasePreparedStatements: env.DATABASE_PREPARED_STATEMENTS,
    ...(env.DATABASE_READ_URL
      ? { databaseReplica: { url: env.DATABASE_READ_URL, maxLag: env.DATABASE_READ_MAX_LAG } }
      : {}),
    redis,
    sessionSecret: env.SESSION_SECRET,
    encryptionKey: env.ENCRYPTION_KEY,
    trustedProxies: env.TRUSTED_PROXIES,
    outboundAllow: env.OUTBOUND_ALLOW,
    apiRateLimit: {
      enabled: env.GLOBAL_API_RATE_LIMIT_ENABLE,
      count: env.GLOBAL_API_RATE_LIMIT,
      seconds: env.GLOBAL_API_RATE_LIMIT_DURATION,
    },
    graphqlCostPerMinute: env.GRAPHQL_COST_PER_MINUTE,
    webRateLimit: {
      enabled: env.GLOBAL_WEB_RATE_LIMIT_ENABLE,
      count: env.GLOBAL_WEB_RATE_LIMIT,
      seconds: env.GLOBAL_WEB_RATE_LIMIT_DURATION,
    },
    syncSeconds: env.SYNC_FREQUENCY,
    relay: {
      firstByteTimeout: millisecondsIn(env.RELAY_TIMEOUT || 300),
      idleTimeout: millisecondsIn(env.STREAMING_TIMEOUT),
      disconnectedTimeout: millisecondsIn(env.DISCONNECTED_CALL_TIMEOUT),
      forceStreamUsage: env.FORCE_STREAM_OPTION,
      azureVersion: env.AZURE_DEFAULT_API_VERSION,
      responseSeconds: env.RESPONSE_STORAGE_SECONDS,
      maxBodyBytes: env.MAX_REQUEST_BODY_MB * 1024 * 1024,
      bodiesBytes: env.REQUEST_BODIES_MB * 1024 * 1024,
    },
    bodyPace: {
      grace: millisecondsIn(env.REQUEST_BODY_GRACE),
      minRate: 1024,
      maxTime: millisecondsIn(env.REQUEST_BODY_TIMEOUT),
    },
    connections: { total: env.MAX_CONNECTIONS, perAddress: env.MAX_CONNECTIONS_PER_ADDRESS },
    overload: {
      heapPercent: env.OVERLOAD_HEAP_PERCENT,
      loopDelay: env.OVERLOAD_LOOP_DELAY,
      databaseWait: env.OVERLOAD_DATABASE_WAIT,
    },
    importMaxFileBytes: env.IMPORT_MAX_FILE_MB * 1024 * 1024,
    shutdownDelayMilliseconds: millisecondsIn(env.SHUTDOWN_DELAY),
    shutdownMilliseconds: millisecondsIn(env.SHUTDOWN_TIMEOUT),
    nodeLife: { heartbeat: env.NODE_HEARTBEAT_INTERVAL, deadAfter: env.NODE_DEAD_AFTER },
    taskPolling: { enabled: env.UPDATE_TASK, seconds: env.TASK_POLL_INTERVAL },
    metricsToken: env.METRICS_TOKEN,
    logRetentionDays: env.LOG_RETENTION_DAYS,
    channelSchedules: {
      testMinutes: env.CHANNEL_TEST_FREQUENCY,
      balanceMinutes: env.CHANNEL_UPDATE_FREQUENCY,
      pause: millisecondsIn(env.POLLING_INTERVAL),
    },
    generateDefaultToken: env.GENERATE_DEFAULT_TOKEN,
    notifyLimit: { count: env.NOTIFY_LIMIT_COUNT, seconds: env.NOTIFICATION_LIMIT_DURATION_MINUTE * 60 },
    signIn: {
      github: env.GITHUB_URL,
      githubApi: env.GITHUB_API_URL,
      linuxDo: env.LINUXDO_URL,
      turnstile: env.TURNSTILE_URL,
    },
    releasesUrl: env.RELEASES_URL,
    paymentApiUrl: env.PAYMENT_API_URL,
    paymentSweepMilliseconds: millisecondsIn(env.PAYMENT_SWEEP_INTERVAL),
    otlp: otlpSettings(env),
  };
}
