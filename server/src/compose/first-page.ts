import type { GraphQLSchema } from 'graphql';
import { builtInDashboards, exampleValues } from '../console/dashboards/index.js';
import { QueryChecker } from '../platform/graphql/query-shape.js';

/** The built-in dashboards that the first page of the console shows: of the site, and of the reader. */
const firstPage = ['usage', 'my-usage'];

/**
 * Returns the dashboards of the console's first page as the GraphQL API has them, for `schema/dashboards.json`. The console
 * contains this file: its first page asks for no definition, and common users may not read saved dashboards.
 */
export function firstPageDashboards(schema: GraphQLSchema): string {
  const checker = new QueryChecker(schema);
  const dashboards = builtInDashboards
    .filter(({ key }) => firstPage.includes(key))
    .map(({ key, name, panels }) => ({
      builtIn: key,
      name,
      panels: panels.map(({ numbers = null, ...panel }) => ({
        ...panel,
        numbers,
        kind: panel.kind.toUpperCase(),
        size: panel.size.toUpperCase(),
        refusal: null,
        shape: checker.check({ ...panel, numbers }, exampleValues, 'panel', null),
      })),
    }));
  return `${JSON.stringify(dashboards, null, 2)}\n`;
}
