import overview from './built-in/overview.json' with { type: 'json' };
import { parseName, parsePanels, type Panel } from './panel.js';

/** A dashboard that every site has. Users copy it to change it. */
export interface BuiltInDashboard {
  /** The name of its file. */
  readonly key: string;
  readonly name: string;
  readonly panels: readonly Panel[];
}

/** The queries of the files are lists of lines. */
const read = (
  key: string,
  file: { readonly name: string; readonly panels: readonly FilePanel[] },
): BuiltInDashboard => ({
  key,
  name: parseName(file.name),
  panels: parsePanels(file.panels.map((panel) => ({ variables: {}, ...panel, query: panel.query.join('\n') }))),
});

interface FilePanel {
  readonly query: readonly string[];
}

export const builtInDashboards: readonly BuiltInDashboard[] = [read('overview', overview)];
