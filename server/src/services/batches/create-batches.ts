import type { CreativeTaskStore, TaskLedger } from '../../console/tasks/index.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Clock } from '../../shared/clock.js';
import type { BuiltRelay } from '../built-relay.js';
import type { TaskDesk } from '../tasks/task-desk.js';
import { anthropicBatches } from './anthropic-batches.js';
import { AnthropicSubmissions } from './anthropic-submissions.js';
import { BatchLines } from './batch-lines.js';
import { BatchWatch } from './batch-watch.js';
import type { BatchRoutesDeps } from './batch-routes-deps.js';
import { Batches } from './batches.js';
import { geminiBatches } from './gemini-batches.js';
import { GeminiSubmissions } from './gemini-submissions.js';
import { openAIBatches } from './openai-batches.js';
import { OpenAISubmissions } from './openai-submissions.js';

interface BatchDependencies {
  readonly relay: BuiltRelay;
  readonly desk: TaskDesk;
  readonly taskLedger: TaskLedger;
  readonly store: CreativeTaskStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates every object of batches, in the order in which a batch uses them. */
export function createBatches({ relay, desk, taskLedger, store, clock, logger }: BatchDependencies): {
  readonly routes: BatchRoutesDeps;
  readonly watch: BatchWatch;
} {
  const { keptObjects } = relay;
  const { accounts, exchange } = keptObjects;
  const { channels, options, maxBodyBytes } = relay.routesDeps;
  const lines = new BatchLines({ relay: relay.relay, channels, options });
  const watch = new BatchWatch({
    taskLedger,
    store,
    channels,
    accounts,
    exchange,
    dialects: { openai: openAIBatches, anthropic: anthropicBatches, gemini: geminiBatches },
    options,
    clock,
    logger,
  });
  const batches = new Batches({ objects: keptObjects, desk, taskLedger, store, watch, clock, logger });
  const openAI = new OpenAISubmissions({ accounts, exchange, lines, maxBodyBytes });
  const anthropic = new AnthropicSubmissions({ accounts, lines });
  const gemini = new GeminiSubmissions({ accounts, lines });
  return { routes: { batches, openAI, anthropic, gemini, maxBodyBytes }, watch };
}
