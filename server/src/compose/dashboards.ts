import type { GraphQLSchema } from 'graphql';
import { Dashboard, DashboardService } from '../console/dashboards/index.js';
import { QueryChecker } from '../platform/graphql/query-shape.js';
import type { Platform } from './platform.js';

/** Saved dashboards. Their queries are checked against the schema of this version. */
export async function composeDashboards(platform: Platform, schema: GraphQLSchema): Promise<DashboardService> {
  const { dataSource, auditService, idempotency, optionService } = platform;
  const queries = new QueryChecker(schema);
  const dashboards = new DashboardService({
    dashboards: dataSource.getRepository(Dashboard),
    auditLog: auditService,
    idempotency,
    options: optionService,
    queries,
  });
  await dashboards.start();
  return dashboards;
}
