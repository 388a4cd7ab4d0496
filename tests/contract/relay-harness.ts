import type { FastifyInstance } from 'fastify';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Changes } from '../../server/src/platform/cache/changes.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import type { Change, SharedState } from '../../server/src/platform/cache/shared-state.js';
import { entities } from '../../server/src/compose/entities.js';
import { jsonFields, readJson } from '../../server/src/console/channels/channel-json.js';
import type { ChannelStatus } from '../../server/src/console/channels/channel.entity.js';
import type { Role, UserStatus } from '../../server/src/shared/actor.js';
import type { StoredSetting } from '../../server/src/billing/accounts/index.js';
import type { TokenStatus } from '../../server/src/billing/accounts/index.js';
import { createDataSource, createLedgerPool } from '../../server/src/platform/db/data-source.js';
import { createApp } from '../../server/src/platform/http/app.js';
import type { BudgetRefusals } from '../../server/src/billing/budgets/budget-refusals.js';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import { postEntry } from '../../server/src/billing/ledger/post-entry.js';
import { PostgresLedger } from '../../server/src/billing/ledger/postgres-ledger.js';
import { reconcile, type Drift } from '../../server/src/billing/ledger/reconcile.js';
import { Spool } from '../../server/src/billing/ledger/spool.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { Metrics } from '../../server/src/platform/observability/metrics.js';
import type { OtlpSettings } from '../../server/src/platform/observability/otlp/otlp-settings.js';
import { OutboundGuard, type Resolver } from '../../server/src/platform/outbound/outbound-guard.js';
import { errorResponse } from '../../server/src/services/client-errors.js';
import type { BuiltRelay, RelaySettings } from '../../server/src/services/built-relay.js';
import { createRelay } from '../../server/src/services/create-relay.js';
import { directCalls } from '../../server/src/services/direct-calls.js';
import { relayRoutes } from '../../server/src/services/relay.routes.js';
import { systemClock, type Clock } from '../../server/src/shared/clock.js';
import { randomAlphanumeric } from '../../server/src/shared/ids.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { replayedDifferently, unexplained } from '../support/charged-rows.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

const encryptionKey = 'relay-tests-encryption-key';

export interface ChannelSpec {
  readonly type?: number;
  readonly key?: string;
  readonly baseUrl?: string;
  readonly models?: string;
  readonly group?: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly status?: ChannelStatus;
  readonly prefix?: string;
  readonly mapping?: string;
  readonly statusMapping?: string;
  readonly override?: string;
  /** The channel's `header_override`. */
  readonly headers?: string;
  readonly setting?: string;
  readonly limits?: object;
  readonly timeouts?: object;
  /** The channel's `cost`. */
  readonly cost?: object;
  readonly organization?: string;
  /** The only user whose calls the channel serves. */
  readonly ownerId?: number;
  /** Fields besides key and base URL that some channel types need. */
  readonly other?: string;
}

export interface TokenSpec {
  readonly userId?: number;
  readonly status?: TokenStatus;
  readonly quota?: number;
  readonly unlimited?: boolean;
  readonly expiresAt?: Date;
  readonly modelLimits?: string;
  readonly allowIps?: string;
  readonly group?: string;
  readonly fallbackGroups?: string;
  readonly fallbackModels?: string;
  /** Limits of all calls and of successful calls per period. The period is in seconds. */
  readonly rateLimit?: { readonly period: number; readonly count: number; readonly success: number };
}

/** Returns the entries of a comma-separated list. */
const commaList = (text = ''): string[] => text.split(',').filter(Boolean);

export interface UserSpec {
  readonly role?: Role;
  readonly status?: UserStatus;
  readonly group?: string;
  readonly quota?: number;
  readonly setting?: StoredSetting;
}

export interface LogRow {
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly model_name: string;
  readonly channel_id: number;
  readonly is_stream: boolean;
  readonly content: string;
  readonly group: string;
  readonly token_name: string;
  readonly username: string;
  readonly request_id: string;
  readonly other: Record<string, unknown>;
}

export interface HarnessOptions {
  readonly settings?: Partial<RelaySettings>;
  readonly trustedProxies?: readonly string[];
  /** The environment variable OUTBOUND_ALLOW. */
  readonly outboundAllow?: readonly string[];
  /** Resolves host names. */
  readonly resolver?: Resolver;
  readonly clock?: Clock;
  /** The shared state. Absent: a state in memory of this node's own. */
  readonly state?: SharedState;
  /** The state that several nodes share. Absent: this node is the only one. */
  readonly nodes?: SharedState;
  /** Settings of the export of spans and metrics. */
  readonly otlp?: OtlpSettings;
  /** Records the budgets that refuse calls. */
  readonly budgetRefusals?: BudgetRefusals;
  /**
   * Makes this relay a second node on the database of another one, which has to outlive it. Changes of channels have to be
   * announced with `changed`.
   */
  readonly beside?: RelayHarness;
}

interface Parts {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly built: BuiltRelay;
  readonly upstream: Upstream;
  readonly changes: Changes;
  readonly ledger: PostgresLedger;
  readonly ledgerPool: Pool;
  readonly dataSource: DataSource;
  readonly database: TestDatabase;
  readonly ownsDatabase: boolean;
  readonly dataDir: string;
  readonly secrets: Secrets;
  readonly logLines: string[];
  readonly disabled: Array<{ id: number; reason: string }>;
  readonly notices: Array<{ readonly type: string; readonly values: readonly string[] }>;
  /** Charges that left less than the option QuotaRemindThreshold. */
  readonly lowBalances: Array<{ userId: number; left: number }>;
  readonly metrics: Metrics;
}

/** The relay over a real database and the real ledger, with a scripted provider, without a server around it. */
export class RelayHarness {
  /** The site's settings, which tests may change. */
  readonly options: { values: OptionValues };
  private count = 0;

  private constructor(
    private readonly parts: Parts,
    options: { values: OptionValues },
  ) {
    this.options = options;
  }

  /** The ledger of this node, for tests that count what is asked of it. */
  get ledger(): PostgresLedger {
    return this.parts.ledger;
  }

  get url(): string {
    return this.parts.url;
  }
  get upstream(): Upstream {
    return this.parts.upstream;
  }
  get logLines(): readonly string[] {
    return this.parts.logLines;
  }
  /** Deletes objects of deleted users. */
  get objectJobs(): BuiltRelay['objectJobs'] {
    return this.parts.built.objectJobs;
  }
  /** The service that sends channel tests. */
  get probe(): BuiltRelay['probe'] {
    return this.parts.built.probe;
  }
  /** The cooldowns of keys. */
  get health(): BuiltRelay['core']['health'] {
    return this.parts.built.core.health;
  }

  /** Ends the cooldown of every key, as an admin does. */
  endCooldowns(): void {
    for (const { channelId } of this.health.cooldowns) this.health.clear(channelId);
  }

  /** The pins of sessions to channels. */
  get pins(): BuiltRelay['core']['pins'] {
    return this.parts.built.core.pins;
  }
  /** Channels that the relay requested to disable. */
  get disabled(): ReadonlyArray<{ id: number; reason: string }> {
    return this.parts.disabled;
  }

  /** Notices to the site's owner. */
  get notices(): Parts['notices'] {
    return this.parts.notices;
  }

  /** The lines of `/metrics` that begin with a name. */
  async metric(name: string): Promise<string[]> {
    return (await this.parts.metrics.scrape()).split('\n').filter((line) => line.startsWith(name));
  }

  /** The server that clients connect to. */
  get server(): FastifyInstance['server'] {
    return this.parts.app.server;
  }

  /** The number of calls whose client is connected, and of the concurrency slots that they occupy. */
  get occupied(): { readonly calls: number; readonly slots: number } {
    const { relay, core } = this.parts.built;
    return { calls: relay.calls, slots: core.inFlight.count };
  }

  /** Bytes of request bodies that the relay counts as held in memory now. */
  get heldBytes(): number {
    return this.parts.built.core.bodies.bytes;
  }

  /** The low balances that the relay reported after charges. */
  get lowBalances(): Parts['lowBalances'] {
    return this.parts.lowBalances;
  }

  /** The database, for services that a test creates itself. */
  get dataSource(): DataSource {
    return this.parts.dataSource;
  }

  static async start({
    settings,
    trustedProxies = [],
    outboundAllow = [],
    resolver,
    clock = systemClock,
    state = new MemoryState(),
    nodes,
    beside,
    otlp,
    budgetRefusals,
  }: HarnessOptions = {}): Promise<RelayHarness> {
    const database = beside?.parts.database ?? (await createTestDatabase());
    const nodeId = beside ? 'relay-test-2' : 'relay-test';
    const dataSource = await createDataSource(database.url, 4, entities).initialize();
    const ledgerPool = createLedgerPool(database.url);
    ledgerPool.on('error', () => undefined);
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-relay-'));
    const logLines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => void logLines.push(line) });
    const changes = new Changes(state);
    const secrets = new Secrets(encryptionKey);
    const options = { values: defaultOptionValues() };
    const ledger = new PostgresLedger({
      pool: ledgerPool,
      nodeId,
      spool: new Spool(join(dataDir, 'spool'), nodeId),
      clock: systemClock,
      logger,
    });
    const disabled: Array<{ id: number; reason: string }> = [];
    const notices: Parts['notices'] = [];
    const lowBalances: Parts['lowBalances'] = [];
    const metrics = new Metrics(false);
    const built = createRelay({
      nodeId,
      database: dataSource,
      state,
      nodes,
      changes,
      options,
      ledger,
      guard: new OutboundGuard(outboundAllow, resolver),
      secrets,
      clock,
      logger,
      metrics,
      settings: {
        firstByteTimeout: 5000,
        idleTimeout: 5000,
        disconnectedTimeout: 1500,
        forceStreamUsage: true,
        maxBodyBytes: 1024 * 1024,
        bodiesBytes: 192 * 1024 * 1024,
        ...settings,
      },
      syncSeconds: 60,
      otlp,
      budgetRefusals,
      channelGuard: { disableAutomatically: async (id, reason) => void disabled.push({ id, reason }) },
      notices: { notifyRoot: (notice) => void notices.push(notice) },
      balances: { ranLow: (userId, left) => void lowBalances.push({ userId, left }) },
    });
    await built.start();
    const noLimit = { enabled: false, count: 1, seconds: 1 };
    const app = await createApp({
      logger,
      state,
      trustedProxies,
      apiRateLimit: noLimit,
      webRateLimit: noLimit,
      clientRoot: null,
      site: () => ({
        systemName: 'Tollgate',
        turnstile: false,
        telegram: false,
        chatLinks: [],
        checkoutAddresses: [],
        status: async () => ({}),
      }),
      errorResponse,
      direct: directCalls(built.routesDeps),
      plugins: [relayRoutes(built.routesDeps)],
      api: [],
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const upstream = await startUpstream();
    const parts = {
      url,
      app,
      built,
      upstream,
      changes,
      ledger,
      ledgerPool,
      dataSource,
      database,
      ownsDatabase: !beside,
      dataDir,
      secrets,
      logLines,
      disabled,
      notices,
      lowBalances,
      metrics,
    };
    return new RelayHarness(parts, options);
  }

  async stop(): Promise<void> {
    const { app, built, ledger, ledgerPool, dataSource, upstream, database, ownsDatabase, dataDir } = this.parts;
    app.server.closeAllConnections();
    await app.close();
    await built.stop();
    await ledger.stop();
    await ledgerPool.end();
    await dataSource.destroy();
    await upstream.stop();
    if (ownsDatabase) await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }

  /** Sets all options to their defaults, with these changes. */
  setOptions(changes: Partial<OptionValues>): void {
    this.options.values = { ...defaultOptionValues(), ...changes };
  }

  async sql<Row = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.parts.dataSource.query<Row[]>(text, parameters);
  }

  async addUser(spec: UserSpec = {}): Promise<number> {
    const name = `user${++this.count}`;
    const [row] = await this.sql<{ id: number }>(
      `INSERT INTO users (username, role, status, "group", setting) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
      [
        name,
        spec.role ?? 'common',
        spec.status ?? 'enabled',
        spec.group ?? 'default',
        JSON.stringify(spec.setting ?? {}),
      ],
    );
    const id = row?.id ?? 0;
    await this.grant(id, spec.quota ?? 1_000_000);
    return id;
  }

  async grant(userId: number, amount: number): Promise<void> {
    await this.parts.dataSource.transaction((manager) =>
      postEntry(manager, { source: `test:${userId}:${++this.count}`, kind: 'admin_grant', userId, amount }),
    );
  }

  /** @returns the key as a client presents it */
  async addToken(spec: TokenSpec = {}): Promise<{ key: string; id: number; userId: number }> {
    const userId = spec.userId ?? (await this.addUser());
    const key = randomAlphanumeric(48);
    const [row] = await this.sql<{ id: number }>(
      `INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, status, name,
         expires_at, unlimited_quota, model_limits_enabled, model_limits, allow_ips, "group", rate_limit_enabled,
         rate_limit_period, rate_limit_calls, rate_limit_successes, fallback_groups, fallback_models)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id`,
      [
        userId,
        this.parts.secrets.hash(key),
        key.slice(0, 6),
        this.parts.secrets.seal(key),
        spec.status ?? 'enabled',
        `token${++this.count}`,
        spec.expiresAt ?? null,
        spec.unlimited ?? spec.quota === undefined,
        spec.modelLimits !== undefined,
        commaList(spec.modelLimits),
        spec.allowIps?.split(/\s+/).filter(Boolean) ?? [],
        spec.group ?? '',
        spec.rateLimit !== undefined,
        spec.rateLimit?.period ?? 60,
        spec.rateLimit ? spec.rateLimit.count || null : 1000,
        spec.rateLimit ? spec.rateLimit.success || null : 10,
        commaList(spec.fallbackGroups),
        commaList(spec.fallbackModels),
      ],
    );
    const id = row?.id ?? 0;
    const amount = spec.quota;
    if (amount) {
      await this.parts.dataSource.transaction((manager) =>
        postEntry(manager, { source: `token:${id}:opening`, kind: 'token_limit', userId, tokenId: id, amount }),
      );
    }
    return { key: `sk-${key}`, id, userId };
  }

  async addChannel(spec: ChannelSpec = {}): Promise<number> {
    const [row] = await this.sql<{ id: number }>(
      `INSERT INTO channels (type, name, key_sealed, status, openai_organization, weight, priority, created_at, base_url,
         models, groups, model_mapping, status_code_mapping, setting, parameters, model_prefix, other,
         headers, limits, timeouts, cost, owner_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp(1), $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) RETURNING id`,
      [
        spec.type ?? 1,
        `channel${++this.count}`,
        this.parts.secrets.seal(spec.key ?? 'sk-upstream-secret'),
        spec.status ?? 'enabled',
        spec.organization ?? '',
        spec.weight ?? 0,
        spec.priority ?? 0,
        spec.baseUrl ?? this.upstream.url,
        commaList(spec.models ?? 'gpt-4o,gpt-4o-mini'),
        commaList(spec.group ?? 'default'),
        jsonFields.modelMapping(readJson(spec.mapping ?? '', 'modelMapping')),
        jsonFields.statusCodeMapping(readJson(spec.statusMapping ?? '', 'statusCodeMapping')),
        jsonFields.setting(readJson(spec.setting ?? '', 'setting')),
        jsonFields.parameters(readJson(spec.override ?? '', 'parameters')),
        spec.prefix ?? '',
        spec.other ?? '',
        jsonFields.headers(readJson(spec.headers ?? '', 'headers')),
        jsonFields.limits(spec.limits),
        jsonFields.timeouts(spec.timeouts),
        jsonFields.cost(spec.cost),
        spec.ownerId ?? null,
      ],
    );
    const id = row?.id ?? 0;
    await this.changed({ kind: 'channel', id });
    return id;
  }

  /** Removes every channel, so that a test routes only to its own. */
  async clearChannels(): Promise<void> {
    await this.sql('DELETE FROM channels');
    await this.changed({ kind: 'channel' });
  }

  /** Announces a change, as a node does, and waits until it has taken effect. */
  async changed(change: Change): Promise<void> {
    await this.parts.changes.announce(change);
    await this.parts.built.routesDeps.channels.follow();
  }

  chat(key: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    return this.post('/v1/chat/completions', key, body, init);
  }

  post(path: string, key: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    });
  }

  postForm(path: string, key: string, form: FormData): Promise<Response> {
    return fetch(this.url + path, { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } });
  }

  async balance(userId: number): Promise<{ quota: number; used: number; requests: number }> {
    const [row] = await this.sql<{ quota: string; used_quota: string; request_count: string }>(
      'SELECT quota, used_quota, request_count FROM users WHERE id = $1',
      [userId],
    );
    return { quota: Number(row?.quota), used: Number(row?.used_quota), requests: Number(row?.request_count) };
  }

  async logs(userId: number): Promise<LogRow[]> {
    const rows = await this.sql(
      `SELECT quota::float8, prompt_tokens, completion_tokens, model_name, channel_id, is_stream, content, "group",
         token_name, username, request_id, other
       FROM logs WHERE user_id = $1 AND type = 2 ORDER BY id`,
      [userId],
    );
    return rows.map((row) => ({ ...row, other: JSON.parse(row['other'] as string) as unknown }) as LogRow);
  }

  /** Waits for the log rows of calls that are about to end. */
  async logsOf(userId: number, count: number, milliseconds = 5000): Promise<LogRow[]> {
    const until = Date.now() + milliseconds;
    for (;;) {
      const rows = await this.logs(userId);
      if (rows.length >= count || Date.now() > until) return rows;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Returns the charges that do not follow from their rows. */
  unexplained(): Promise<object[]> {
    return unexplained((sql, values) => this.sql(sql, values));
  }

  /** Returns the rows at current prices for which a dry run computes another charge. */
  replayedDifferently(): Promise<object[]> {
    return replayedDifferently((sql, values) => this.sql(sql, values), this.options.values);
  }

  /** Resolves when no call is in flight. */
  idle(): Promise<void> {
    return this.parts.built.relay.idle();
  }

  async openReservations(): Promise<number> {
    const [row] = await this.sql<{ count: string }>('SELECT count(*) FROM reservations');
    return Number(row?.count);
  }

  /** @returns all inconsistencies of the ledger; empty in a correct one */
  drift(): Promise<Drift[]> {
    return reconcile(this.parts.ledgerPool);
  }
}

export const userMessage = (text: string): { role: string; content: string }[] => [{ role: 'user', content: text }];

/** The `data:` payloads of a stream, without comments. */
export function payloadsOf(stream: string): string[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}
