import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams, useSearchParams } from 'react-router-dom';
import { EmptyState } from './EmptyState.js';
import { LoadFailure } from './LoadFailure.js';
import { PageHead, type PageHeadProps } from './PageHead.js';

/** A tab of an object, `/channel/25/errors`. */
export interface ObjectTab {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
  /** Whether the figures above would only push the content down, as above a form. */
  readonly hidesSummary?: true;
}

interface ObjectPageProps extends PageHeadProps {
  /** The list that the object is in. */
  readonly list: { readonly label: string; readonly to: string };
  /** Figures and their chart, above the tabs. */
  readonly summary?: ReactNode;
  /** The address without a tab. */
  readonly address: string;
  /** The first one has the address itself. */
  readonly tabs: readonly ObjectTab[];
  /** The tab of an address that names it in another way. */
  readonly opened?: string | undefined;
}

/** The page of one object: name, state and actions, its figures with a chart, and tabs, of which the address names one. */
export function ObjectPage(props: ObjectPageProps) {
  const { summary, address, tabs, opened, ...head } = props;
  const { title } = head;
  const { tab } = useParams();
  // The other tabs show the same days. Each tab keeps the page and the order of its list.
  const days = useSearchParams()[0].get('days');
  const range = days === null ? '' : `?days=${encodeURIComponent(days)}`;
  const wanted = tab ?? opened;
  const shown = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  return (
    <ObjectFrame {...head}>
      {!shown?.hidesSummary && summary}
      {shown && (
        <>
          <Tabs
            value={shown.id}
            variant="scrollable"
            scrollButtons={false}
            aria-label={title}
            sx={{ borderBottom: 1, borderColor: 'divider' }}
          >
            {tabs.map(({ id, label }, index) => (
              <Tab
                key={id}
                value={id}
                label={label}
                component={Link}
                to={(index === 0 ? address : `${address}/${id}`) + range}
                id={`tab-${id}`}
                aria-controls="tab-content"
              />
            ))}
          </Tabs>
          <Box
            key={shown.id}
            id="tab-content"
            role="tabpanel"
            aria-labelledby={`tab-${shown.id}`}
            sx={{ display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}
          >
            {shown.content}
          </Box>
        </>
      )}
    </ObjectFrame>
  );
}

/** The page while its object loads, when it cannot be loaded, and when there is none. */
export function ObjectMissing({
  list,
  title,
  error,
  onRetry,
  isLoading,
  gone,
}: Pick<ObjectPageProps, 'list' | 'title'> & {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly isLoading: boolean;
  /** Says that the object does not exist. */
  readonly gone: string;
}) {
  const { t } = useTranslation();
  return (
    <ObjectFrame list={list} title={title}>
      {error ? (
        <LoadFailure title={t('objects.loadFailed')} error={error} onRetry={onRetry} />
      ) : isLoading ? (
        <Box aria-busy sx={{ display: 'grid', gap: 2 }}>
          <Skeleton variant="rectangular" width={240} height={32} />
          <Skeleton variant="rectangular" height={72} />
          <Skeleton variant="rectangular" height={200} />
        </Box>
      ) : (
        <EmptyState title={gone} />
      )}
    </ObjectFrame>
  );
}

function ObjectFrame({ children, ...head }: PageHeadProps & { readonly children: ReactNode }) {
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <PageHead {...head} />
      {children}
    </Box>
  );
}
