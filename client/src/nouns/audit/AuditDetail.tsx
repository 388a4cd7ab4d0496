import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { dateTime } from '../../lib/format.js';
import { BeforeAfter } from './BeforeAfter.js';
import { changesOf, type AuditEntry } from './auditChanges.js';
import { AuditActor, AuditSubject, subjectText } from './AuditSubject.js';
import { actionText } from './auditTexts.js';
import { useRestore } from './useRestore.js';

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
  const { mayRestore, restore } = useRestore(onRestored);
  return (
    <SideDrawer
      open
      readOnly
      width={640}
      title={subjectText(entry, t)}
      meta={dateTime(entry.createdAt, 'seconds')}
      onClose={onClose}
      footer={
        mayRestore(entry) && (
          <Button variant="outlined" onClick={() => void restore(entry)}>
            {t('audit.restore')}
          </Button>
        )
      }
    >
      <DrawerSection title={t('audit.entry')}>
        <NameValues
          rows={[
            [t('audit.subject'), <AuditSubject entry={entry} />],
            [t('audit.actor'), <AuditActor entry={entry} withId />],
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
              entry={entry}
              change={change}
            />
          ))}
        </Box>
      </DrawerSection>
    </SideDrawer>
  );
}
