import type { DataSource } from 'typeorm';
import {
  CreativeTask,
  CreativeTaskStore,
  Drawing,
  type DrawingNotifyService,
  DrawingStore,
  type TaskLedger,
  type VideoLinks,
} from '../../console/tasks/index.js';
import type { Ledger } from '../../billing/ledger/index.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import type { Clock } from '../../shared/clock.js';
import type { Secrets } from '../../shared/secrets.js';
import type { ChannelGuard } from '../../gateway/send/upstream-failure-handler.js';
import type { BatchRoutesDeps } from '../batches/batch-routes-deps.js';
import { createBatches } from '../batches/create-batches.js';
import type { BuiltRelay } from '../built-relay.js';
import { DrawingLookup } from './midjourney/drawing-lookup.js';
import { DrawingSubmissions } from './midjourney/drawing-submissions.js';
import { polledDrawings, polledMusic, polledVideos } from './polled-platforms.js';
import { Suno } from './suno/suno.js';
import { TaskDesk } from './task-desk.js';
import type { MidjourneyRoutesDeps, SunoRoutesDeps, VideoRoutesDeps } from './task-routes-deps.js';
import { TaskPoller } from './task-poller.js';
import { TaskUpstream } from './task-upstream.js';
import { KlingPaths } from './video/kling-paths.js';
import { OlderVideos } from './video/older-videos.js';
import { VideoContent } from './video/video-content.js';
import { Videos } from './video/videos.js';

export interface TaskDependencies {
  readonly relay: BuiltRelay;
  readonly database: DataSource;
  readonly ledger: Ledger;
  readonly taskLedger: TaskLedger;
  readonly notify: DrawingNotifyService;
  /** Fetches images and videos that a provider names. */
  readonly outbound: Pick<GuardedFetch, 'fetch' | 'open'>;
  readonly videoLinks: VideoLinks;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly channelGuard: ChannelGuard;
}

/** Dependencies of the task routes, and the pollers. */
export interface BuiltTasks {
  readonly midjourney: MidjourneyRoutesDeps;
  readonly suno: SunoRoutesDeps;
  readonly video: VideoRoutesDeps;
  readonly batches: BatchRoutesDeps;
  /** Polls batches. It reads results of any size, so it has runs of its own. */
  readonly batchWatch: { run(): Promise<void> };
  /** The pollers, which are called periodically. */
  readonly pollers: ReadonlyArray<{ run(): Promise<void> }>;
}

/** Creates every object of tasks, in the order in which a submission uses them. */
export function createTasks(deps: TaskDependencies): BuiltTasks {
  const { relay, database, ledger, taskLedger, secrets, clock, logger } = deps;
  const { channels, prices, options, maxBodyBytes } = relay.routesDeps;
  const { keys, keyUses, budgets, rates, rateLimit, keyRing, candidates, balances, metrics } = relay.core;
  const { guardrails, captures, tracing, errors, inFlight, bodies } = relay.core;
  const upstream = new TaskUpstream(relay.core, clock);
  const desk = new TaskDesk({
    relay: relay.relay,
    watch: { guardrails, captures, tracing, errors },
    inFlight,
    bodies,
    keys,
    keyUses,
    budgets,
    rates,
    rateLimit,
    channels,
    keyRing,
    candidates,
    prices,
    ledger,
    secrets,
    options,
    logger,
    balances,
    metrics,
  });
  const drawings = new DrawingStore(database.getRepository(Drawing));
  const creative = new CreativeTaskStore(database.getRepository(CreativeTask));
  const videos = new Videos({ desk, taskLedger, store: creative, upstream, clock });
  const batches = createBatches({ relay, desk, taskLedger, store: creative, clock, logger });
  const pollerParts = { taskLedger, channels, secrets, clock, database, logger };
  return {
    midjourney: {
      submission: new DrawingSubmissions({
        desk,
        taskLedger,
        store: drawings,
        upstream,
        channels,
        clock,
        logger,
        guard: deps.channelGuard,
      }),
      lookup: new DrawingLookup({
        desk,
        taskLedger,
        store: drawings,
        upstream,
        secrets,
        clock,
        notify: deps.notify,
        images: deps.outbound,
      }),
      maxBodyBytes,
    },
    suno: { suno: new Suno({ desk, taskLedger, store: creative, upstream, clock }), maxBodyBytes },
    video: {
      videos,
      older: new OlderVideos({ videos, links: deps.videoLinks }),
      kling: new KlingPaths({ videos, links: deps.videoLinks }),
      content: new VideoContent({
        desk,
        videos,
        store: creative,
        upstream,
        links: deps.videoLinks,
        outbound: deps.outbound,
        inFlight,
      }),
      maxBodyBytes,
    },
    batches: batches.routes,
    batchWatch: batches.watch,
    pollers: [
      new TaskPoller(polledDrawings(drawings, upstream), pollerParts),
      new TaskPoller(polledMusic(creative, upstream), pollerParts),
      new TaskPoller(polledVideos(creative, upstream), pollerParts),
    ],
  };
}
