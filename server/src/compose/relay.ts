import { postEntry } from '../billing/ledger/index.js';
import {
  CreativeTask,
  CreativeTaskService,
  Drawing,
  DrawingNotifyService,
  DrawingService,
  TaskLedger,
  VideoLinks,
} from '../console/tasks/index.js';
import { TaskPolling } from '../console/tasks/task.jobs.js';
import { createRelay } from '../services/create-relay.js';
import { Realtime } from '../services/realtime/realtime.js';
import { createTasks } from '../services/tasks/create-tasks.js';

export type ComposedRelay = Awaited<ReturnType<typeof composeRelay>>;
import type { Accounts } from './accounts.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';

/** Relay calls, asynchronous provider tasks and realtime sessions. */
export async function composeRelay(
  platform: Platform,
  { notifications }: Accounts,
  { channelGuard, budgetRefusals }: Operations,
) {
  const { config, shutdown, logger, metrics, dataSource, clock, nodeId, secrets, state, changes, signals, ledger } =
    platform;
  const { logService, optionService, outboundGuard, guardedFetch, checkpoints } = platform;
  const builtRelay = createRelay({
    nodeId,
    database: dataSource,
    state,
    changes,
    ledger,
    secrets,
    clock,
    logger,
    metrics,
    nodes: platform.hasNeighbours ? state : undefined,
    options: optionService,
    guard: outboundGuard,
    settings: config.relay,
    syncSeconds: config.syncSeconds,
    channelGuard,
    healthChanged: (id) => signals.send('channel', [id]),
    balances: notifications,
    notices: notifications,
    overload: config.overload,
    // Without it, a collector would see the series of several processes as one, and they would overwrite each other.
    otlp: config.otlp && {
      ...config.otlp,
      resource: { 'service.instance.id': platform.nodeId, ...config.otlp.resource },
    },
    budgetRefusals,
  });
  await builtRelay.start();
  shutdown.onStop('relay', () => builtRelay.stop());
  builtRelay.objectJobs.start();
  shutdown.onStop('objects of providers', () => builtRelay.objectJobs.stop());

  // Asynchronous provider tasks
  const drawingNotify = new DrawingNotifyService(secrets, optionService);
  const drawingService = new DrawingService({
    drawings: dataSource.getRepository(Drawing),
    secrets,
    options: optionService,
    clock,
  });
  const videoLinks = new VideoLinks({ secrets, clock });
  const creativeTaskService = new CreativeTaskService(dataSource.getRepository(CreativeTask));
  const tasks = createTasks({
    relay: builtRelay,
    taskLedger: new TaskLedger({
      database: dataSource,
      ledger,
      postEntry,
      usageLog: logService,
      changes,
      options: optionService,
      clock,
    }),
    notify: drawingNotify,
    outbound: guardedFetch,
    videoLinks,
    channelGuard,
    database: dataSource,
    ledger,
    secrets,
    clock,
    logger,
  });
  const runs = { state, nodeId, logger, seconds: config.taskPolling.seconds };
  for (const polling of [
    new TaskPolling({ ...runs, name: 'task-polling', pollers: tasks.pollers }),
    // A batch may take long to read, and must not delay the other tasks.
    new TaskPolling({ ...runs, name: 'batch-polling', pollers: [tasks.batchWatch] }),
  ]) {
    if (config.taskPolling.enabled) polling.start();
    shutdown.onStop('task polling', () => polling.stop());
  }

  const realtime = new Realtime({
    ...builtRelay.core,
    ...builtRelay.routesDeps,
    guard: outboundGuard,
    azureVersion: config.relay.azureVersion,
    ledger,
    checkpoints,
    database: dataSource,
    secrets,
    clock,
    logger,
  });
  return { builtRelay, drawingNotify, drawingService, creativeTaskService, videoLinks, tasks, realtime };
}
