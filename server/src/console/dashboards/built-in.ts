import myUsage from './built-in/my-usage.json' with { type: 'json' };
import overview from './built-in/overview.json' with { type: 'json' };
import usage from './built-in/usage.json' with { type: 'json' };
import { parseName, parsePanels, type Panel } from './panel.js';

/** A dashboard that every site has. Users copy it to change it. */
export interface BuiltInDashboard {
  /** The name of its file. */
  readonly key: string;
  readonly name: string;
  readonly panels: readonly Panel[];
}

/** Queries are lists of lines. One that several panels have is in `queries`, and the panels have its name. */
interface DashboardFile {
  readonly name: string;
  readonly queries?: Readonly<Record<string, readonly string[]>>;
  readonly panels: ReadonlyArray<{ readonly query: string | readonly string[] }>;
}

const read = (key: string, { name, queries = {}, panels }: DashboardFile): BuiltInDashboard => ({
  key,
  name: parseName(name),
  panels: parsePanels(
    panels.map(({ query, ...panel }) => ({
      variables: {},
      ...panel,
      query: (typeof query === 'string' ? queries[query] : query)?.join('\n'),
    })),
  ),
});

export const builtInDashboards: readonly BuiltInDashboard[] = [
  read('overview', overview),
  // The console's first page: the usage of all users, and that of the reader.
  read('usage', usage),
  read('my-usage', myUsage),
];
