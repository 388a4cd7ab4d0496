import { setTimeout as sleep } from 'node:timers/promises';
import { BudgetDirectory, BudgetRefusals } from '../billing/budgets/index.js';
import { PriceBook } from '../billing/prices/index.js';
import { collectBodies } from '../platform/heap.js';
import { heapPercent, Overload, type OverloadMarks } from '../platform/observability/overload.js';
import { GuardedFetch } from '../platform/outbound/guarded-fetch.js';
import { randomAlphanumeric } from '../shared/ids.js';
import { ConcurrencySlots, InFlight } from '../gateway/admit/in-flight.js';
import { BodyBudget, bodyBudgetFor } from '../gateway/admit/body-budget.js';
import { KeyDirectory } from '../gateway/admit/key-directory.js';
import { KeyUses } from '../gateway/admit/key-uses.js';
import { ModelRateLimit } from '../gateway/admit/rate-limit.js';
import { Guardrails } from '../gateway/admit/guardrails/guardrails.js';
import { SensitiveWords } from '../gateway/admit/sensitive-words.js';
import type { AttemptSettings } from '../gateway/send/attempt.js';
import { Attempts } from '../gateway/send/attempts.js';
import { CallBudgets } from '../gateway/admit/call-budgets.js';
import { CallRates } from '../gateway/admit/call-rates.js';
import { UpstreamFailureHandler } from '../gateway/send/upstream-failure-handler.js';
import { Captures } from '../gateway/observe/captures.js';
import { ChannelFailures } from '../gateway/observe/channel-failures.js';
import { ErrorLog } from '../gateway/observe/error-log.js';
import { UsageAlarm } from '../gateway/observe/usage-alarm.js';
import { defaultReadOnLimits, DisconnectedClients } from '../gateway/send/disconnected-clients.js';
import { LearnedCorrections } from '../gateway/send/learned-corrections.js';
import { guardedMedia } from '../gateway/send/media-fetch.js';
import type { RelayDependencies, BuiltRelay } from './built-relay.js';
import { RelayProbe } from './probe.js';
import { Relay } from '../gateway/pipeline.js';
import { StoredInteractions } from './interactions/stored-interactions.js';
import { GoogleUploads } from './objects/google-uploads.js';
import { KeptObjects } from './objects/kept-objects.js';
import { ObjectAccounts } from './objects/object-accounts.js';
import { ObjectCalls } from './objects/object-calls.js';
import { ObjectExchange } from './objects/object-exchange.js';
import { LeftObjects } from './objects/left-objects.js';
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
import { CandidateSelector } from '../gateway/route/candidate-selector.js';
import { defaultPoolLimits, Pools, UpstreamClient } from '../gateway/upstream/upstream-client.js';
import { Credentials } from '../gateway/upstream/credentials.js';
import { createTelemetry } from '../gateway/observe/tracing/create-telemetry.js';

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
  const bodies = new BodyBudget(bodyBudgetFor(deps.settings.bodiesBytes, deps.settings.maxBodyBytes), collectBodies);
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
  const candidates = new CandidateSelector({
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

  const objects = new KeptObjects(database);
  const accounts = new ObjectAccounts({ channels, idOwners, objects, health, options });
  const exchange = new ObjectExchange({ upstream, options, settings, clock });
  const objectCalls = new ObjectCalls({
    relay,
    inFlight,
    rateLimit,
    keys,
    bodies,
    options,
    objects,
    accounts,
    exchange,
  });
  const googleUploads = new GoogleUploads({ calls: objectCalls, accounts, exchange, objects, secrets });
  const interactions = new StoredInteractions({ calls: objectCalls, accounts, exchange, objects, guardrails });
  const objectJobs = new LeftObjects({
    database,
    state,
    nodeId: deps.nodeId,
    accounts,
    exchange,
    objects,
    logger,
  });

  const resumable = {
    responses: new StoredResponses(state, secrets, logger, deps.settings.responseSeconds ?? 3600),
    reasoning: new ReasoningOrigins(state, logger, deps.settings.responseSeconds ?? 3600),
    summaries: new SealedSummaries(secrets),
  };
  return {
    relay,
    probe,
    objectJobs,
    keptObjects: { calls: objectCalls, objects, accounts, exchange },
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
      credentials,
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
      objects: objectCalls,
      googleUploads,
      interactions,
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
