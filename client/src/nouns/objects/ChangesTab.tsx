import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import HistoryOutlinedIcon from '@mui/icons-material/HistoryOutlined';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { AuditEntriesDocument } from '../audit/audit.generated.js';
import { changesOf, type AuditEntry, type Change } from '../audit/auditChanges.js';
import { actionText } from '../audit/auditTexts.js';
import { AuditActor, AuditSubject } from '../audit/AuditSubject.js';
import { BeforeAfter } from '../audit/BeforeAfter.js';
import { useRestore } from '../audit/useRestore.js';

/** Changes that are shown. The audit log has the others. */
const shown = 20;

/** The last changes of an object, each with a button that undoes it. */
export function ChangesTab({
  subject,
  id,
  entry: tableEntry,
  onRestored,
}: {
  readonly subject: AuditEntry['subject'];
  readonly id?: number;
  /** The entry of a table of settings, such as the name of a model. */
  readonly entry?: string;
  readonly onRestored: () => void;
}) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(AuditEntriesDocument, {
    variables: {
      page: 0,
      pageSize: shown,
      filter: {
        subjects: [subject],
        ...(id === undefined ? {} : { subjectIds: [String(id)] }),
        ...(tableEntry === undefined ? {} : { entry: tableEntry }),
      },
    },
    fetchPolicy: 'cache-and-network',
  });
  const { mayRestore, restore } = useRestore(() => {
    void refetch();
    onRestored();
  });
  // A setting has the prices of all models: the page of one shows its own.
  const isShown = ({ row }: Change): boolean => tableEntry === undefined || row === null || row === tableEntry;
  const page = data?.auditEntries;
  if (!page) {
    return error ? (
      <LoadFailure title={t('objects.changesFailed')} error={error} onRetry={() => void refetch()} />
    ) : (
      <Box aria-busy sx={{ minHeight: 200 }} />
    );
  }
  if (page.items.length === 0) {
    return (
      <Card>
        <EmptyState icon={<HistoryOutlinedIcon />} title={t('objects.noChanges')} text={t('objects.noChangesText')} />
      </Card>
    );
  }
  return (
    <>
      <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('objects.restoreNote')}</Box>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5 }}>
        {page.items.map((entry) => (
          <Card component="li" key={entry.id} sx={{ padding: '12px 16px' }}>
            <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 12px', minHeight: 32 }}>
              <Num strong>{dateTime(entry.createdAt, 'seconds')}</Num>
              <AuditActor entry={entry} className="anywhere" />
              {entry.subject === 'OPTION' && <AuditSubject entry={entry} className="mono" />}
              <ToneChip tone={entry.action === 'delete' ? 'red' : entry.action === 'create' ? 'green' : 'outline'}>
                {actionText(entry.action, t)}
              </ToneChip>
              {mayRestore(entry) && (
                <Button variant="outlined" sx={{ ml: 'auto' }} onClick={() => void restore(entry)}>
                  {t('audit.restore')}
                </Button>
              )}
            </Box>
            <Box sx={{ display: 'grid', gap: 1, mt: 1 }}>
              {changesOf(entry)
                .filter(isShown)
                .map((change) => (
                  <BeforeAfter
                    key={`${change.field} ${change.row ?? ''} ${change.quantity ?? ''}`}
                    entry={entry}
                    change={change}
                  />
                ))}
            </Box>
          </Card>
        ))}
      </Box>
      {page.totalCount > shown && (
        <MuiLink
          component={Link}
          to={`/audit?subject=${subject}&${id === undefined ? `entry=${encodeURIComponent(tableEntry ?? '')}` : `id=${id}`}`}
          sx={{ alignSelf: 'flex-start' }}
        >
          {t('objects.allChanges', { count: page.totalCount })}
        </MuiLink>
      )}
    </>
  );
}
