/**
 * Variables that the viewer's choices fill, if a query declares them and the panel has no value of its own. The console
 * fills them from its controls, Grafana from those of its dashboard. The two filters are of one user on the console's
 * first page, and null elsewhere.
 */
export const viewerVariables = ['range', 'from', 'until', 'timeZone', 'bucket', 'usageFilter', 'logFilter'] as const;

/** Values of the right types, to check a query before it is run. */
export const exampleValues: Readonly<Record<(typeof viewerVariables)[number], unknown>> = {
  range: { from: '2026-11-01T00:00:00Z', until: '2026-11-08T00:00:00Z' },
  from: '2026-11-01T00:00:00Z',
  until: '2026-11-08T00:00:00Z',
  timeZone: 'UTC',
  bucket: 'DAY',
  usageFilter: null,
  logFilter: null,
};

const from = '${__from:date:iso}';
const until = '${__to:date:iso}';

/** The variables as texts of Grafana. Grafana has no bucket of this kind, so charts have days. */
export const grafanaValues: typeof exampleValues = {
  range: { from, until },
  from,
  until,
  timeZone: '${__timezone}',
  bucket: 'DAY',
  usageFilter: null,
  logFilter: null,
};
