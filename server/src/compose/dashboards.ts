import type { GraphQLSchema } from 'graphql';
import { Dashboard, DashboardService } from '../console/dashboards/index.js';
import { checkQuery } from '../platform/graphql/query-shape.js';
import type { Platform } from './platform.js';

/** Saved dashboards. Their queries are checked against the schema of this version. */
export async function composeDashboards(platform: Platform, schema: GraphQLSchema): Promise<DashboardService> {
  const { dataSource, auditService, idempotency, optionService } = platform;
  const dashboards = new DashboardService({
    dashboards: dataSource.getRepository(Dashboard),
    auditLog: auditService,
    idempotency,
    options: optionService,
    checkQuery: (query, supplied, at, author) => checkQuery(schema, query, supplied, at, author),
  });
  await dashboards.start();
  return dashboards;
}
