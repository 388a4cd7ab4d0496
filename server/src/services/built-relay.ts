import type { FastifyRequest } from 'fastify';
import type { Queries } from '../platform/db/queries.js';
import type { Changes } from '../platform/cache/changes.js';
import type { SharedState } from '../platform/cache/shared-state.js';
import type { BudgetRefusals } from '../billing/budgets/index.js';
import type { ChannelProbe } from '../console/channels/index.js';
import type { OptionValues } from '../options/option.service.js';
import type { PriceBook } from '../billing/prices/index.js';
import type { Ledger } from '../billing/ledger/index.js';
import type { Logger } from '../platform/observability/logger.js';
import type { Metrics } from '../platform/observability/metrics.js';
import type { OtlpSettings } from '../platform/observability/otlp/otlp-settings.js';
import type { OverloadMarks } from '../platform/observability/overload.js';
import type { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import type { Clock } from '../shared/clock.js';
import type { Secrets } from '../shared/secrets.js';
import type { InFlight } from '../gateway/admit/in-flight.js';
import type { BodyBudget } from '../gateway/admit/body-budget.js';
import type { Hijacked } from '../gateway/incoming-request.js';
import type { KeyDirectory } from '../gateway/admit/key-directory.js';
import type { KeyUses } from '../gateway/admit/key-uses.js';
import type { ModelRateLimit } from '../gateway/admit/rate-limit.js';
import type { Guardrails } from '../gateway/admit/guardrails/guardrails.js';
import type { BalanceWatch } from '../gateway/settle/balance-watch.js';
import type { CallBudgets } from '../gateway/admit/call-budgets.js';
import type { CallRates } from '../gateway/admit/call-rates.js';
import type { UpstreamFailureHandler, ChannelGuard } from '../gateway/send/upstream-failure-handler.js';
import type { Captures } from '../gateway/observe/captures.js';
import type { ErrorLog } from '../gateway/observe/error-log.js';
import type { UsageAlarm, OperatorNotices } from '../gateway/observe/usage-alarm.js';
import type { Relay } from '../gateway/pipeline.js';
import type { StoredInteractions } from './interactions/stored-interactions.js';
import type { GoogleUploads } from './objects/google-uploads.js';
import type { ObjectCalls } from './objects/object-calls.js';
import type { KeptObjects } from './objects/kept-objects.js';
import type { LeftObjects } from './objects/left-objects.js';
import type { ObjectAccounts } from './objects/object-accounts.js';
import type { ObjectExchange } from './objects/object-exchange.js';
import type { ProviderResponses } from './responses/provider-responses.js';
import type { ReasoningOrigins } from './responses/reasoning-origins.js';
import type { SealedSummaries } from './responses/sealed-summaries.js';
import type { ResponsesSockets } from './responses/socket/responses-sockets.js';
import type { StoredResponses } from './responses/stored-responses.js';
import type { Health } from '../gateway/route/health/health.js';
import type { KeyHealth } from '../gateway/route/health/key-health.js';
import type { KeyRing } from '../gateway/route/key-ring.js';
import type { SessionPins } from '../gateway/route/affinity/session-pins.js';
import type { RoutingDirectory } from '../gateway/route/routing-directory.js';
import type { CandidateSelector } from '../gateway/route/candidate-selector.js';
import type { Credentials } from '../gateway/upstream/credentials.js';
import type { UpstreamClient } from '../gateway/upstream/upstream-client.js';
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
  readonly nodeId: string;
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
  readonly candidates: CandidateSelector;
  readonly keyHealth: KeyHealth;
  readonly upstream: UpstreamClient;
  readonly credentials: Credentials;
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
  /** Deletes objects of deleted users at their makers. Start it on nodes that do such work. */
  readonly objectJobs: LeftObjects;
  /** Objects that makers keep for an account, for batches, whose input and results are files. */
  readonly keptObjects: {
    readonly calls: ObjectCalls;
    readonly objects: KeptObjects;
    readonly accounts: ObjectAccounts;
    readonly exchange: ObjectExchange;
  };
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
  readonly objects: ObjectCalls;
  readonly googleUploads: GoogleUploads;
  readonly interactions: StoredInteractions;
  /** Serves `:batchGenerateContent`. Absent: the method is not served. */
  readonly createGeminiBatch?: (call: Hijacked, request: FastifyRequest) => Promise<void>;
}
