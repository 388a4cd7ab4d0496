import { Alert, AlertConditions, AlertService, AlertStore, AlertTargets } from '../console/alerts/index.js';
import { AlertClock } from '../console/alerts/alert.jobs.js';
import type { Catalogue } from './catalogue.js';
import type { Platform } from './platform.js';

/** Conditions that an operator should know of, and the messages about them. */
export function composeAlerts(platform: Platform, { belowCost }: Catalogue): AlertService {
  const { dataSource, state, changes, clock, nodeId, logger, shutdown, optionService, guardedFetch, mailer } = platform;
  const options = optionService;
  const targets = new AlertTargets({ mailer, fetch: guardedFetch, options, clock });
  const alertClock = new AlertClock({
    database: dataSource,
    targets,
    state,
    changes,
    options,
    nodeId,
    logger,
    conditions: new AlertConditions({ database: dataSource, belowCost, options, clock }),
    store: new AlertStore(dataSource),
  });
  alertClock.start();
  shutdown.onStop('alerts', () => alertClock.stop());
  return new AlertService({ alerts: dataSource.getRepository(Alert), database: dataSource, targets, options });
}
