import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { Hidden, Mono } from '../../components/Text.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { RestoredOptionDocument, RestoreOptionDocument } from './audit.generated.js';
import { changesOf, isRestorable, withoutChange, type AuditEntry, type Change } from './auditChanges.js';
import { fieldText, valueText } from './auditFields.js';
import { actionText, subjectTexts } from './auditTexts.js';

/** One entry: who, when, from where, and every change with its value before and after. */
export function AuditDetail({
  entry,
  onRestored,
  onClose,
}: {
  readonly entry: AuditEntry;
  readonly onRestored: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const client = useApolloClient();
  const [save] = useMutation(RestoreOptionDocument);
  const mayRestore = useMay('PRICES');
  const key = entry.subjectId;
  const restore = async (): Promise<string | undefined> => {
    const { data } = await client.query({
      query: RestoredOptionDocument,
      variables: { key },
      fetchPolicy: 'no-cache',
    });
    const current = data?.options.items[0];
    if (!current) return undefined;
    await save({ variables: { input: { key, value: withoutChange(entry, current.value) } } });
    onRestored();
    return t('audit.restored', { name: key });
  };
  return (
    <SideDrawer
      open
      readOnly
      width={640}
      title={`${t(subjectTexts[entry.subject])} ${entry.subjectId}`}
      meta={dateTime(entry.createdAt, 'seconds')}
      onClose={onClose}
      footer={
        mayRestore &&
        isRestorable(entry) && (
          <Button
            variant="outlined"
            onClick={() =>
              void act(restore, {
                title: t('audit.restoreTitle', { name: key }),
                body: t('audit.restoreBody', { time: dateTime(entry.createdAt, 'seconds') }),
                verb: t('audit.restore'),
              })
            }
          >
            {t('audit.restore')}
          </Button>
        )
      }
    >
      <DrawerSection title={t('audit.entry')}>
        <NameValues
          rows={[
            [t('audit.actor'), `${entry.actorName} (#${entry.actorId})`],
            [t('audit.ip'), entry.ip],
            [t('audit.action'), actionText(entry.action, t)],
          ]}
        />
      </DrawerSection>
      <DrawerSection title={t('audit.changes')}>
        <Box sx={{ display: 'grid', gap: 1 }}>
          {changesOf(entry).map((change) => (
            <BeforeAfter
              key={`${change.field} ${change.row ?? ''} ${change.quantity ?? ''}`}
              subject={entry.subject}
              change={change}
            />
          ))}
        </Box>
      </DrawerSection>
    </SideDrawer>
  );
}

/** Characters. Longer values are placed below each other. */
const shortLength = 48;
const isShort = (text: string | null): boolean => (text ?? '').length <= shortLength && !(text ?? '').includes('\n');

function BeforeAfter({ subject, change }: { readonly subject: AuditEntry['subject']; readonly change: Change }) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = fieldText(change, t);
  const shown = (text: string | null) => (text === null ? null : valueText(subject, change, text, t, format));
  const [before, after] = [shown(change.before), shown(change.after)];
  const value = (text: string | null, colour: string) => (
    <Box component="span" sx={{ minWidth: 0, color: colour }}>
      {text === null || text === '' ? <span className="faint">{t('audit.none')}</span> : <Mono>{text}</Mono>}
    </Box>
  );
  const line = (label: string, text: string | null, colour: string) => (
    <Box sx={{ display: 'flex', gap: 1, fontSize: 13 }}>
      <Box sx={{ width: 64, flexShrink: 0, color: 'text.secondary' }}>{label}</Box>
      {value(text, colour)}
    </Box>
  );
  const isLine = isShort(before) && isShort(after);
  return (
    <Box
      component="section"
      aria-label={name}
      sx={isLine ? { display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, columnGap: 2 } : undefined}
    >
      <Box sx={{ fontWeight: 600, fontSize: 13, overflowWrap: 'anywhere' }}>{name}</Box>
      {isLine ? (
        <Box sx={{ fontSize: 13, minWidth: 0 }}>
          <Hidden>{t('audit.before')}: </Hidden>
          {value(before, 'text.secondary')}
          <span aria-hidden> → </span>
          <Hidden>, {t('audit.after')}: </Hidden>
          {value(after, 'text.primary')}
        </Box>
      ) : (
        <>
          {line(t('audit.before'), before, 'text.secondary')}
          {line(t('audit.after'), after, 'text.primary')}
        </>
      )}
    </Box>
  );
}
