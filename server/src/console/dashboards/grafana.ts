import type { ColumnKind, QueryColumn, QueryShape } from '../../shared/stored-query.js';
import type { Dashboard } from './dashboard.entity.js';
import type { Panel, PanelSize } from './panel.js';
import { grafanaValues, viewerVariables } from './viewer-variables.js';

/** A panel with the shape of its response. */
export interface ShapedPanel extends Panel {
  readonly shape: QueryShape;
}

const plugin = 'yesoreyeram-infinity-datasource';
const datasource = { type: plugin, uid: '${datasource}' };

/** Grafana's grid has 24 columns. */
const widths: Readonly<Record<PanelSize, number>> = { small: 8, medium: 12, wide: 16, large: 24 };
const height = 8;

/**
 * Returns a dashboard as Grafana imports it. Its panels ask the GraphQL API of the site over an Infinity data source,
 * which the importing admin chooses; its access token decides what they show.
 * @param siteUrl such as `https://gateway.example.com`
 */
export function toGrafana({ id, name }: Dashboard, panels: readonly ShapedPanel[], siteUrl: string): object {
  let x = 0;
  let y = 0;
  return {
    title: name,
    uid: `tollgate-${id}`,
    schemaVersion: 39,
    tags: ['tollgate'],
    editable: true,
    time: { from: 'now-7d', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: plugin, label: 'Data source' }] },
    panels: panels.map((panel, index) => {
      const w = widths[panel.size];
      if (x + w > 24) {
        x = 0;
        y += height;
      }
      const gridPos = { h: height, w, x, y };
      x += w;
      return toGrafanaPanel(panel, { id: index + 1, gridPos }, `${siteUrl}/graphql`);
    }),
  };
}

function toGrafanaPanel(panel: ShapedPanel, place: object, url: string): object {
  const { rows, columns } = shownOf(panel);
  const isOverTime = columns.some(({ kind }) => kind === 'TIME') && !['table', 'ranking'].includes(panel.kind);
  return {
    ...place,
    type: typeOf(panel, isOverTime),
    title: panel.title,
    datasource,
    fieldConfig: { defaults: { custom: panel.kind === 'bar' && isOverTime ? barStyle : {} }, overrides: [] },
    ...(['pie', 'ranking'].includes(panel.kind) && {
      options: { reduceOptions: { values: true, calcs: [], fields: '' } },
    }),
    // A row for each group and time becomes a line for each group.
    ...(isOverTime &&
      columns.some(({ kind }) => kind === 'TEXT') && {
        transformations: [{ id: 'prepareTimeSeries', options: { format: 'multi' } }],
      }),
    targets: [
      {
        refId: 'A',
        datasource,
        type: 'graphql',
        source: 'url',
        format: 'table',
        parser: 'backend',
        url,
        url_options: {
          method: 'POST',
          body_type: 'graphql',
          body_content_type: 'application/json',
          body_graphql_query: panel.query,
          body_graphql_variables: JSON.stringify(variablesOf(panel)),
          params: [],
          headers: [],
        },
        root_selector: rows === null ? 'data' : `data.${rows}`,
        columns: columns.map(({ path, kind }) => ({ selector: path, text: path, type: columnTypes[kind] })),
        filters: [],
      },
    ],
  };
}

const barStyle = { drawStyle: 'bars', fillOpacity: 80, stacking: { mode: 'normal' } };

function typeOf({ kind }: Panel, isOverTime: boolean): string {
  if (kind === 'number') return 'stat';
  if (kind === 'pie') return 'piechart';
  if (kind === 'ranking') return 'bargauge';
  if (kind === 'table') return 'table';
  return isOverTime ? 'timeseries' : 'barchart';
}

const columnTypes: Readonly<Record<ColumnKind, string>> = {
  TIME: 'timestamp',
  TEXT: 'string',
  NUMBER: 'number',
  QUOTA: 'number',
  BOOLEAN: 'boolean',
};

/** A number is the first value outside the list, if there is one. */
function shownOf({ kind, shape }: ShapedPanel): {
  readonly rows: string | null;
  readonly columns: readonly QueryColumn[];
} {
  return kind === 'number' && shape.values.length > 0 ? { rows: null, columns: shape.values } : shape;
}

/** The values of the panel, and texts of Grafana for the variables that the viewer fills. */
function variablesOf({ query, variables }: Panel): Record<string, unknown> {
  const filled = viewerVariables.filter((name) => new RegExp(`\\$${name}\\b\\s*:`).test(query));
  return { ...Object.fromEntries(filled.map((name) => [name, grafanaValues[name]])), ...variables };
}
