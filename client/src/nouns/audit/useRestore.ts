import { useApolloClient, useMutation } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { RestoreAuditEntryDocument, RestoredOptionDocument, RestoreOptionDocument } from './audit.generated.js';
import { isObjectRestorable, isRestorable, withoutChange, type AuditEntry } from './auditChanges.js';
import { subjectText } from './AuditSubject.js';

/** Undoes changes of the audit log: of prices, channels, users and API keys. */
export function useRestore(onRestored: () => void) {
  const { t } = useTranslation();
  const act = useAction();
  const client = useApolloClient();
  const [save] = useMutation(RestoreOptionDocument);
  const [restoreEntry] = useMutation(RestoreAuditEntryDocument);
  const readsAudit = useMay('AUDIT');
  const maySetPrices = useMay('PRICES');
  const restoreSetting = async (entry: AuditEntry): Promise<string | undefined> => {
    const key = entry.subjectId;
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
  const restoreObject = async ({ id }: AuditEntry, name: string): Promise<string> => {
    const { data } = await restoreEntry({ variables: { id } });
    onRestored();
    return (data?.restoreAuditEntry.kept.length ?? 0) > 0
      ? t('audit.restoredPartly', { name })
      : t('audit.restored', { name });
  };
  return {
    mayRestore: (entry: AuditEntry): boolean =>
      (maySetPrices && isRestorable(entry)) || (readsAudit && isObjectRestorable(entry)),
    restore: (entry: AuditEntry): Promise<boolean> => {
      const isSetting = entry.subject === 'OPTION';
      const name = isSetting ? entry.subjectId : subjectText(entry, t);
      const time = dateTime(entry.createdAt, 'seconds');
      return act(() => (isSetting ? restoreSetting(entry) : restoreObject(entry, name)), {
        title: t('audit.restoreTitle', { name }),
        body: t(isSetting ? 'audit.restoreBody' : 'audit.restoreObjectBody', { time }),
        verb: t('audit.restore'),
      });
    },
  };
}
