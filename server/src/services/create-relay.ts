import type { Queries } from '../platform/db/queries.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '../platform/cache/changes.js';
import type { SharedState } from '../platform/cache/shared-state.js';
import { BudgetDirectory, BudgetRefusals } from '../billing/budgets/index.js';
import type { ChannelProbe } from '../console/channels/index.js';
import type { OptionValues } from '../options/option.service.js';
import { PriceBook } from '../billing/prices/index.js';
import type { Ledger } from '../billing/ledger/index.js';
import type { Logger } from '../platform/observability/logger.js';
import type { Metrics } from '../platform/observability/metrics.js';
import type { OtlpSettings } from '../platform/observability/otlp/otlp-settings.js';
import { heapPercent, Overload, type OverloadMarks } from '../platform/observability/overload.js';
import { GuardedFetch } from '../platform/outbound/guarded-fetch.js';
import type { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import type { Clock } from '../shared/clock.js';
import { randomAlphanumeric } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import { ConcurrencySlots, InFlight } from '../gateway/admit/in-flight.js';
import { BodyBudget, bodyBudgetFor } from '../gateway/admit/body-budget.js';
import { KeyDirectory } from '../gateway/admit/key-directory.js';
import { KeyUses } from '../gateway/admit/key-uses.js';
import { ModelRateLimit } from '../gateway/admit/rate-limit.js';
import { Guardrails } from '../gateway/admit/guardrails/guardrails.js';
import { SensitiveWords } from '../gateway/admit/sensitive-words.js';
import type { AttemptSettings } from '../gateway/send/attempt.js';
import { Attempts } from '../gateway/send/attempts.js';
import type { BalanceWatch } from '../gateway/settle/balance-watch.js';
import { CallBudgets } from '../gateway/admit/call-budgets.js';
import { CallRates } from '../gateway/admit/call-rates.js';
import { UpstreamFailureHandler, type ChannelGuard } from '../gateway/send/upstream-failure-handler.js';
import { Captures } from '../gateway/observe/captures.js';
import { ChannelFailures } from '../gateway/observe/channel-failures.js';
import { ErrorLog } from '../gateway/observe/error-log.js';
import { UsageAlarm, type OperatorNotices } from '../gateway/observe/usage-alarm.js';
import { defaultReadOnLimits, DisconnectedClients } from '../gateway/send/disconnected-clients.js';
import { LearnedCorrections } from '../gateway/send/learned-corrections.js';
import { guardedMedia } from '../gateway/send/media-fetch.js';
import { RelayProbe } from './probe.js';
import { Relay } from '../gateway/pipeline.js';
import { ProviderResponses } from './responses/provider-responses.js';
import { ReasoningOrigins } from './responses/reasoning-origins.js';
import { SealedSummaries } from './responses/sealed-summaries.js';
import { ResponsesSockets } from './responses/socket/responses-sockets.js';
import { StoredResponses } from './responses/stored-responses.js';
import { Health } from '../gateway/route/health/health.js';
import { KeyHealth } from '../gateway/route/health/key-health.js';
import { cooldownReasons } from '../gateway/route/health/cooldown.js';
import { SharedHealth } from '../gateway/route/health/shared-health.js';
import { costsFrom } from '../gateway/route/limits/cost-period.js';
import { ChannelBudgets } from '../gateway/route/limits/channel-budgets.js';
import { LimitBoard } from '../gateway/route/limits/limit-board.js';
import { KeyRing } from '../gateway/route/key-ring.js';
import { IdOwners } from '../gateway/route/affinity/id-owners.js';
import { SessionAffinity } from '../gateway/route/affinity/session-affinity.js';
import { SessionPins } from '../gateway/route/affinity/session-pins.js';
import { RoutingDirectory, type KeyState } from '../gateway/route/routing-directory.js';
import { FirstByteTimes } from '../gateway/route/order/first-byte-times.js';
import { TierOrder } from '../gateway/route/order/tier-order.js';
import { Candidates } from '../gateway/route/candidates.js';
import { defaultPoolLimits, Pools, UpstreamClient } from '../gateway/upstream/upstream-client.js';
import { Credentials } from '../gateway/upstream/credentials.js';
import { createTelemetry } from '../gateway/observe/tracing/create-telemetry.js';
import type { Tracing } from '../gateway/observe/tracing/tracing.js';

/** Limits and defaults of the relay from the configuration. */
export interface RelaySettings {
  /** Milliseconds until the first byte of a response. */
  readonly firstByteTimeout: number;
  readonly idleTimeout: number;
  /** Milliseconds to connect, including the name lookup; 10 seconds when absent. */
  readonly connectTimeout?: number;
  /** Milliseconds for a whole call; half an hour when absent. */
  readonly totalTimeout?: number;
  /** Milliseconds in which a non-streaming response may still arrive after its client has disconnected. */
  readonly disconnectedTimeout: number;
  readonly forceStreamUsage: boolean;
  /** The variable AZURE_DEFAULT_API_VERSION. */
  readonly azureVersion?: string;
  readonly maxBodyBytes: number;
  /** The variable REQUEST_BODIES_MB, in bytes. */
  readonly bodiesBytes: number;
  /**
   * The variable RESPONSE_STORAGE_SECONDS: how long responses can be continued by their id; 0 means never. An hour when
   * absent.
   */
  readonly responseSeconds?: number;
}

export interface RelayDependencies {
  readonly database: Queries;
  readonly state: SharedState;
  /** The shared state, if there are other nodes; absent with one node. */
  readonly nodes?: SharedState | undefined;
  readonly changes: Changes;
  readonly options: { readonly values: OptionValues };
  readonly ledger: Ledger;
  readonly guard: OutboundGuard;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: RelaySettings;
  readonly syncSeconds: number;
  /** Called when a provider refuses a channel's last key. */
  readonly channelGuard: ChannelGuard;
  /** Notified of the balance after each charge. */
  readonly balances?: BalanceWatch;
  /** Called when a cooldown of a channel's key begins or ends, at any node. */
  readonly healthChanged?: (channelId: number) => void;
  /** Receives notices for the operator. */
  readonly notices?: OperatorNotices;
  /** Thresholds above which new calls are refused. Absent when calls are never refused. */
  readonly overload?: OverloadMarks;
  /** Export of spans and metrics. Absent when nothing is exported. */
  readonly otlp?: OtlpSettings | undefined;
  /** Receives budgets that refuse calls, so that their owners are notified. */
  readonly budgetRefusals?: BudgetRefusals | undefined;
}

/**
 * Objects of which a process has one instance each, so that all kinds of work share keys, limits and the state of
 * connections.
 */
export interface RelayCore {
  readonly keys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly budgets: CallBudgets;
  readonly rates: CallRates;
  readonly rateLimit: ModelRateLimit;
  readonly inFlight: InFlight;
  readonly bodies: BodyBudget;
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly candidates: Candidates;
  readonly keyHealth: KeyHealth;
  readonly upstream: UpstreamClient;
  readonly failureHandler: UpstreamFailureHandler;
  readonly errors: ErrorLog;
  readonly balances: BalanceWatch | null;
  readonly usageAlarm: UsageAlarm;
  readonly pins: SessionPins;
  readonly metrics: Metrics;
  readonly guardrails: Guardrails;
  readonly captures: Captures;
  readonly tracing: Tracing | undefined;
}

/** The relay with its lifecycle. */
export interface BuiltRelay {
  readonly relay: Relay;
  readonly probe: ChannelProbe;
  /** The objects shared by calls, tasks and sessions. */
  readonly core: RelayCore;
  /** Dependencies of `relayRoutes`. */
  readonly routesDeps: RelayRoutesDeps;
  /** Loads the channels. Calls can be served afterwards. */
  start(): Promise<void>;
  /** Waits for calls in flight, then closes the connections to providers. Call when no new ones can arrive. */
  stop(): Promise<void>;
}

/** Dependencies of `relayRoutes`, `playgroundRoutes` and the routes of tasks. */
export interface RelayRoutesDeps {
  readonly relay: Relay;
  readonly keys: KeyDirectory;
  readonly inFlight: InFlight;
  readonly channels: RoutingDirectory;
  readonly prices: PriceBook;
  readonly options: { readonly values: OptionValues };
  readonly maxBodyBytes: number;
  readonly responses: StoredResponses;
  readonly reasoning: ReasoningOrigins;
  readonly summaries: SealedSummaries;
  readonly responsesSockets: ResponsesSockets;
  readonly providerResponses: ProviderResponses;
  readonly guardrails: Guardrails;
}

const totalTimeout = 30 * 60_000;
/** Milliseconds in which calls whose connections were closed may be settled. */
const stopMilliseconds = 5_000;
const noMarks: OverloadMarks = { heapPercent: 0, loopDelay: 0, databaseWait: 0 };
const maxAnswerBytes = 64 * 1024 * 1024;

const keyStateOf = (...known: readonly KeyState[]): KeyState => ({
  keepOnly: (channels) => known.forEach((one) => one.keepOnly(channels)),
});

/** Creates every object of the relay, in the order in which a call uses them. */
export function createRelay(deps: RelayDependencies): BuiltRelay {
  const { database, state, changes, options, ledger, secrets, clock, logger, metrics } = deps;
  const settings: AttemptSettings = { totalTimeout, ...deps.settings, maxAnswerBytes };

  const keys = new KeyDirectory(database, secrets);
  const rateLimit = new ModelRateLimit(state, options);
  const slots = new ConcurrencySlots(deps.nodes ?? null, clock);
  const inFlight = new InFlight(options, slots);
  const bodies = new BodyBudget(bodyBudgetFor(deps.settings.bodiesBytes, deps.settings.maxBodyBytes));
  const keyRing = new KeyRing(clock);
  const health = new Health(clock);
  const sharedHealth = new SharedHealth({
    health,
    state,
    clock,
    logger,
    changed: (channelId) => deps.healthChanged?.(channelId),
  });
  const channels = new RoutingDirectory(database, secrets, keyStateOf(keyRing, health), logger);
  const budgetDirectory = new BudgetDirectory(database, logger);
  const budgets = new CallBudgets(budgetDirectory, clock, deps.budgetRefusals ?? new BudgetRefusals());
  const rates = new CallRates(state, clock);
  const limits = new LimitBoard({ slots, state, options, costs: costsFrom(database), clock });
  metrics.beforeScrape(() => {
    const current = health.cooldowns.filter(({ until }) => until > clock.now());
    for (const reason of cooldownReasons) {
      metrics.keysCoolingDown.set({ reason }, current.filter((cooldown) => cooldown.reason === reason).length);
    }
  });
  const firstBytes = new FirstByteTimes(clock);
  const order = new TierOrder(options, firstBytes, clock);
  const channelBudgets = new ChannelBudgets(budgets, ledger);
  const candidates = new Candidates({
    channels,
    keyRing,
    health,
    limits,
    order,
    clock,
    budgets: channelBudgets,
    sharedBudgets: budgetDirectory,
  });
  const prices = new PriceBook(options);
  const { connectTimeout = defaultPoolLimits.connectTimeout } = deps.settings;
  const pools = new Pools(deps.guard, { ...defaultPoolLimits, connectTimeout });
  const guarded = new GuardedFetch(deps.guard);
  const upstream = new UpstreamClient(pools);
  const credentials = new Credentials(upstream, clock);
  const probe = new RelayProbe({ channels, keyRing, health, upstream, credentials, clock, settings, options });
  const failures = new ChannelFailures({ database, options, clock, logger });
  const failureHandler = new UpstreamFailureHandler({
    options,
    channels,
    keyRing,
    health,
    credentials,
    logger,
    metrics,
    failures,
    keyCheck: probe,
    guard: deps.channelGuard,
  });
  const pins = new SessionPins(
    deps.nodes ?? null,
    randomAlphanumeric(12),
    () => clock.now(),
    (error) => logger.debug({ err: error }, 'sessions could not be shared'),
  );
  const idOwners = new IdOwners(database, clock, (err) => logger.warn({ err }, 'owners of ids could not be stored'));
  const left = new DisconnectedClients({
    ...defaultReadOnLimits,
    wholeMilliseconds: deps.settings.disconnectedTimeout,
  });
  const attempts = new Attempts({
    left,
    learned: new LearnedCorrections(clock),
    idOwners,
    options,
    channels,
    keyRing,
    candidates,
    order,
    firstBytes,
    health,
    upstream,
    credentials,
    fetchMedia: guardedMedia(guarded),
    clock,
    failureHandler,
    settings,
    metrics,
    affinity: new SessionAffinity(options, pins, clock),
  });
  const overload: Overload = new Overload(
    deps.overload ?? noMarks,
    { heapPercent, databaseWait: () => relay.databaseWait() },
    metrics,
    logger,
  );
  const keyUses = new KeyUses(database, (err) => logger.warn({ err }, 'addresses of keys could not be stored'));
  const words = new SensitiveWords(options, logger);
  const guardrails = new Guardrails({ words, options, fetcher: guarded, logger });
  const telemetry = deps.otlp && createTelemetry(deps.otlp, metrics, logger, options);
  const tracing = telemetry?.tracing;
  const captures = new Captures({ database, options, clock, logger });
  const errors = new ErrorLog({ database, options, clock, logger });
  const balances = deps.balances ?? null;
  const usageAlarm = new UsageAlarm({ logger, metrics, notices: deps.notices ?? null });
  const relay: Relay = new Relay({
    guardrails,
    captures,
    errors,
    balances,
    usageAlarm,
    options,
    keys,
    keyUses,
    rateLimit,
    inFlight,
    bodies,
    overload,
    channels,
    prices,
    ledger,
    budgets,
    sharedBudgets: budgetDirectory,
    rates,
    idOwners,
    attempts,
    tracing,
    clock,
    logger,
    metrics,
  });

  const resumable = {
    responses: new StoredResponses(state, secrets, logger, deps.settings.responseSeconds ?? 3600),
    reasoning: new ReasoningOrigins(state, logger, deps.settings.responseSeconds ?? 3600),
    summaries: new SealedSummaries(secrets),
  };
  return {
    relay,
    probe,
    core: {
      keys,
      keyUses,
      budgets,
      rates,
      rateLimit,
      inFlight,
      bodies,
      keyRing,
      health,
      keyHealth: new KeyHealth(keyRing, health),
      candidates,
      upstream,
      failureHandler,
      errors,
      balances,
      usageAlarm,
      pins,
      metrics,
      guardrails,
      captures,
      tracing,
    },
    routesDeps: {
      relay,
      keys,
      inFlight,
      channels,
      prices,
      options,
      guardrails,
      maxBodyBytes: deps.settings.maxBodyBytes,
      ...resumable,
      responsesSockets: new ResponsesSockets({ relay, keys, bodies, ...resumable }, deps.settings.maxBodyBytes),
      providerResponses: new ProviderResponses({ channels, upstream, options, settings, clock }),
    },
    async start() {
      keys.follow(changes);
      await pins.start();
      await slots.start();
      await channels.start(changes, deps.syncSeconds);
      await budgetDirectory.start(changes, deps.syncSeconds);
      await sharedHealth.start(() => channels.table.ids);
      overload.start();
      telemetry?.exporter.start();
      keyUses.start();
      idOwners.start();
      failures.start();
    },
    async stop() {
      overload.stop();
      // The clients of these calls have disconnected long ago. A call whose usage is unknown by now is charged as
      // reserved.
      left.stop();
      // The connections are closed already. A call that is still running is stuck and must not block the shutdown.
      const stopped = await Promise.race([
        relay.idle().then(() => true),
        sleep(stopMilliseconds, false, { ref: false }),
      ]);
      if (!stopped)
        logger.warn({ calls: relay.calls }, 'calls did not end in time; the sweeper returns their reservations');
      await keyUses.stop();
      await idOwners.stop();
      await failures.stop();
      channels.stop();
      budgetDirectory.stop();
      await sharedHealth.stop();
      await pins.stop();
      await slots.stop();
      await guarded.close();
      await pools.close();
      await telemetry?.exporter.stop();
    },
  };
}
