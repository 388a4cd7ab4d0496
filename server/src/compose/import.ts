import { join } from 'node:path';
import { ImportFiles } from '../import/console/import-files.js';
import { ImportJobs } from '../import/console/import-jobs.js';
import { ImportRunner } from '../import/console/import.jobs.js';
import { ImportService } from '../import/console/import.service.js';
import { User } from '../billing/accounts/index.js';
import type { Platform } from './platform.js';

/** Import from another program, in the console. */
export function composeImport(platform: Platform): ImportService {
  const { config, dataSource, database, secrets, changes, auditService, nodeId, clock, logger, shutdown } = platform;
  const jobs = new ImportJobs(dataSource, secrets);
  const files = new ImportFiles(join(config.dataDir, 'import'), config.importMaxFileBytes);
  const runner = new ImportRunner({
    jobs,
    files,
    changes,
    nodeId,
    clock,
    logger,
    databaseUrl: database.directUrl,
    encryptionKey: database.encryptionKey,
    outboundAllow: config.outboundAllow,
    program: platform.importProgram,
  });
  runner.start();
  shutdown.onStop('import', () => runner.stop());
  const users = dataSource.getRepository(User);
  return new ImportService({
    database: dataSource,
    users,
    jobs,
    files,
    runner,
    changes,
    auditLog: auditService,
  });
}
