import Box from '@mui/material/Box';
import { useColorScheme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import { useEditorContext } from '@graphiql/react';
import { GraphiQL, type GraphiQLProps } from 'graphiql';
import 'graphiql/style.css';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { sitePath } from '../../lib/basePath.js';
import { session } from '../../lib/session.js';
import { sans } from '../../theme/fonts.js';

const example = `# Requests run with your session, also mutations.
query Spend {
  usage(range: { calendar: LAST_7_DAYS }, groupBy: [MODEL], top: 10) {
    items {
      key {
        modelName
      }
      metrics {
        usd
        calls
      }
    }
  }
}
`;

/** Sends a document with the session, as the rest of the console does. */
const fetcher: GraphiQLProps['fetcher'] = async (parameters) => {
  const user = session.get();
  const response = await fetch(sitePath('/graphql'), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', ...(user ? { 'Veloera-User': String(user.id) } : {}) },
    body: JSON.stringify(parameters),
  });
  return (await response.json()) as Awaited<ReturnType<GraphiQLProps['fetcher']>>;
};

/** Documents and variables may be secret: the explorer keeps none in the browser for its next user. */
const noStorage: GraphiQLProps['storage'] = {
  length: 0,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
};

/** GraphiQL for the API of this site: writes queries with completion, runs them, and shows the documentation of the schema. */
export function ExplorerScreen() {
  const { t } = useTranslation();
  const { colorScheme } = useColorScheme();
  const isDark = colorScheme === 'dark';
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        height: 'calc(100dvh - 48px)',
        minHeight: 420,
        // Colours and fonts of the console. The selector is stronger than that of the explorer's own themes.
        '&& .graphiql-container': {
          flex: 1,
          minHeight: 0,
          '--font-family': sans,
          '--font-size-body': '14px',
          // Words and numbers of the lines that are too pale by default.
          '--alpha-secondary': '0.9',
          '--alpha-tertiary': '0.8',
          ...(isDark
            ? { '--color-base': '204, 17%, 9%', '--color-primary': '184, 51%, 54%' }
            : {
                '--color-base': '0, 0%, 100%',
                '--color-primary': '186, 78%, 25%',
                '--color-info': '208, 100%, 38%',
                '--color-secondary': '242, 51%, 55%',
                '--color-tertiary': '188, 100%, 25%',
                '--color-success': '158, 70%, 27%',
                '--color-warning': '36, 100%, 27%',
                '--color-error': '13, 93%, 40%',
              }),
        },
        '&& .graphiql-doc-explorer a': { textDecoration: 'underline' },
        // Phones show the buttons, the documentation, the editor and the response below each other.
        '&& .graphiql-container, && .graphiql-main, && #graphiql-session': {
          flexDirection: { xs: 'column', md: 'row' },
        },
        '&& .graphiql-sidebar': {
          flexDirection: { xs: 'row', md: 'column' },
          width: { xs: 'auto', md: 'var(--sidebar-width)' },
          order: { xs: 1, md: 0 },
        },
        '&& .graphiql-horizontal-drag-bar': { display: { xs: 'none', md: 'block' } },
        '&& .graphiql-sessions': { margin: { xs: 0, md: 'var(--px-16) var(--px-16) var(--px-16) 0' } },
      }}
    >
      <title>{t('dashboards.explorer')}</title>
      <Typography variant="h1" sx={{ padding: { xs: '12px 16px', sm: '12px 24px' } }}>
        {t('dashboards.explorer')}
      </Typography>
      {/* GraphiQL has no other language. */}
      <Box lang="en" sx={{ display: 'contents' }}>
        <GraphiQL
          fetcher={fetcher}
          storage={noStorage}
          defaultQuery={example}
          forcedTheme={isDark ? 'dark' : 'light'}
          isHeadersEditorEnabled={false}
          showPersistHeadersSettings={false}
        >
          <GraphiQL.Toolbar>
            {({ prettify, merge, copy }) => (
              <>
                {prettify}
                {merge}
                {copy}
                <EditorNames />
              </>
            )}
          </GraphiQL.Toolbar>
        </GraphiQL>
      </Box>
    </Box>
  );
}

/** Names the editors for screen readers, which GraphiQL does not. It stands in its tool bar, where its context is. */
function EditorNames() {
  const { queryEditor, variableEditor, responseEditor } = useEditorContext({ nonNull: true });
  useEffect(() => queryEditor?.setOption('screenReaderLabel', 'Query'), [queryEditor]);
  useEffect(() => variableEditor?.setOption('screenReaderLabel', 'Variables'), [variableEditor]);
  useEffect(() => responseEditor?.setOption('screenReaderLabel', 'Response'), [responseEditor]);
  return null;
}
