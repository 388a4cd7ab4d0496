import { useApolloClient } from '@apollo/client/react';
import { parse } from 'graphql';
import { useEffect, useState } from 'react';

/** The variables that the viewer fills, where the query has them and the panel has no value of its own. */
export type ViewerValues = Readonly<
  Record<'range' | 'from' | 'until' | 'timeZone' | 'bucket' | 'usageFilter' | 'logFilter', unknown>
>;

export interface PanelQuery {
  readonly query: string;
  readonly variables: unknown;
  /** Why the server refuses the query. Null: it can be run. */
  readonly refusal: string | null;
}

interface Loaded {
  /** The request that this is the result of. */
  readonly key: string;
  readonly data?: unknown;
  readonly error?: unknown;
}

/**
 * Runs the query of a panel with the viewer's session. Panels with the same query and values send one request: the client
 * joins requests that are on their way. While it runs again, the last result stays; the result of another
 * query does not. A query that the server refuses is never sent: it could act with the viewer's rights.
 * @param version another number runs it again
 */
export function usePanelData(panel: PanelQuery, viewer: ViewerValues, version: number) {
  const client = useApolloClient();
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const { query } = panel;
  const isRefused = panel.refusal !== null;
  const variables = JSON.stringify({ ...filledBy(query, viewer), ...(panel.variables as object) });
  const key = `${query} ${variables}`;
  const [finished, setFinished] = useState('');
  const run = `${version} ${key}`;
  useEffect(() => {
    if (isRefused) return undefined;
    let isOver = false;
    const finish = (result: Omit<Loaded, 'key'>): void => {
      if (isOver) return;
      setLoaded((last) =>
        result.error && last?.key === key && last.data ? { ...last, ...result } : { key, ...result },
      );
      setFinished(run);
    };
    // A stored query may not be GraphQL in the eyes of an older console.
    void Promise.resolve()
      .then(() =>
        client.query({
          query: parse(query),
          variables: JSON.parse(variables) as Record<string, unknown>,
          fetchPolicy: 'no-cache',
        }),
      )
      .then(
        ({ data }) => finish({ data }),
        (error: unknown) => finish({ error }),
      );
    return () => {
      isOver = true;
    };
  }, [client, isRefused, query, variables, key, run]);
  const shown =
    loaded?.key === key || (loaded?.data !== undefined && loaded.key.startsWith(`${query} `)) ? loaded : null;
  return { data: shown?.data, error: shown?.error, loading: finished !== run };
}

/** Only variables that the query declares: the server refuses others. */
function filledBy(query: string, viewer: ViewerValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(viewer).filter(([name]) => new RegExp(`\\$${name}\\s*:`).test(query)));
}
