import { join } from 'node:path';
import { MoveInFiles } from '../import/console/move-in-files.service.js';
import { MoveInJobs } from '../import/console/move-in-jobs.service.js';
import { MoveInRunner } from '../import/console/move-in.jobs.js';
import { MoveInService } from '../import/console/move-in.service.js';
import { User } from '../console/users/index.js';
import type { Platform } from './platform.js';

/** Moving in from another program, in the console. */
export function composeMoveIn(platform: Platform): MoveInService {
  const { config, dataSource, database, secrets, changes, auditService, nodeId, clock, logger, shutdown } = platform;
  const jobs = new MoveInJobs(dataSource, secrets);
  const files = new MoveInFiles(join(config.dataDir, 'move-in'), config.moveInMaxFileBytes);
  const runner = new MoveInRunner({
    jobs,
    files,
    changes,
    nodeId,
    clock,
    logger,
    databaseUrl: database.directUrl,
    encryptionKey: database.encryptionKey,
    outboundAllow: config.outboundAllow,
    program: platform.moveInProgram,
  });
  runner.start();
  shutdown.onStop('moving in', () => runner.stop());
  const users = dataSource.getRepository(User);
  return new MoveInService({
    database: dataSource,
    users,
    jobs,
    files,
    runner,
    changes,
    auditLog: auditService,
  });
}
