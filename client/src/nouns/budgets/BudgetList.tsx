import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useActing } from '../../lib/acting.js';
import { integer } from '../../lib/format.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { useMay } from '../../lib/permissions.js';
import { useStatus } from '../../lib/status.js';
import type { RowAction } from '../../components/ActionMenu.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { useAction } from '../../components/useAction.js';
import { BudgetDialog } from './BudgetDialog.js';
import {
  newBudget,
  toBudgetUpdate,
  toBudgetValues,
  toNewBudget,
  type BudgetSubject,
  type BudgetValues,
} from './budgetForm.js';
import { BudgetRow, useBudgetTitle } from './BudgetRow.js';
import {
  BudgetsDocument,
  CreateBudgetDocument,
  DeleteBudgetDocument,
  UpdateBudgetDocument,
  type BudgetLevel,
  type BudgetLineFragment,
} from './budgets.generated.js';

/** The listed budgets: of one key, user, group or channel, of the site, or of a user and the keys of that user. */
type Listed = ({ readonly subject: BudgetSubject } | { readonly owner: number }) & {
  /** Called after each change, which other lists may show. */
  readonly onChanged?: (() => void) | undefined;
};

/**
 * Budgets with their use, and a button that adds one. Changes apply at once, independent of the surrounding form. If
 * `subject` has no id or group, the budgets of the whole level are listed, with names and without that button. The same
 * applies to an owner.
 */
export function BudgetList(listed: Listed) {
  const { t } = useTranslation();
  const act = useAction();
  const isByAdmin = useMay('BUDGETS');
  const acting = useActing();
  // Owners and billing members of an organisation limit its members and projects.
  const setsLevel = (level: BudgetLevel) =>
    level === 'TOKEN' || (acting !== null && acting.role !== 'MEMBER' && (level === 'MEMBER' || level === 'PROJECT'));
  const titleOf = useBudgetTitle();
  const { quotaPerUnit } = useStatus();
  const subject = 'subject' in listed ? listed.subject : null;
  const { data, error, refetch } = useQuery(BudgetsDocument, {
    variables: { filter: 'subject' in listed ? listed.subject : { userId: listed.owner } },
    fetchPolicy: 'network-only',
  });
  const [update] = useMutation(UpdateBudgetDocument);
  const [remove] = useMutation(DeleteBudgetDocument);
  const reload = async () => {
    await refetch();
    listed.onChanged?.();
  };
  const [edited, setEdited] = useState<BudgetLineFragment | 'new' | null>(null);
  const isOne =
    subject !== null && (subject.level === 'SITE' || subject.subjectId !== undefined || subject.group !== undefined);
  const adding = isOne && (isByAdmin || setsLevel(subject.level)) ? subject : null;
  const nameOf = ({ level, subjectName }: BudgetLineFragment) =>
    isOne ? undefined : subject === null && level === 'USER' ? t('budgets.ofAccount') : subjectName;

  const actionsOf = (budget: BudgetLineFragment): RowAction[] => {
    if (!isByAdmin && (!setsLevel(budget.level) || budget.byAdmin)) return [];
    return [
      { label: t('actions.edit'), onSelect: () => setEdited(budget) },
      {
        label: t(budget.enabled ? 'budgets.turnOff' : 'budgets.turnOn'),
        onSelect: () =>
          void act(async () => {
            await update({ variables: { input: { id: budget.id, enabled: !budget.enabled } } });
            listed.onChanged?.();
          }),
      },
      {
        label: t('actions.delete'),
        destructive: true,
        onSelect: () =>
          void act(
            async () => {
              await remove({ variables: { id: budget.id } });
              await reload();
              return t('budgets.deleted');
            },
            { title: t('budgets.deleteTitle', { name: titleOf(budget) }), body: t('budgets.deleteBody') },
          ),
      },
    ];
  };

  if (error && !data) {
    return <LoadFailure title={t('budgets.loadFailed')} error={error} onRetry={() => void refetch()} />;
  }
  const items = data?.budgets.items;
  return (
    <Box>
      {items?.length === 0 && <Box sx={{ fontSize: 13, color: 'text.secondary', pb: 1 }}>{t('budgets.none')}</Box>}
      {items && items.length > 0 && (
        <Box component="ul" aria-label={t('budgets.title')} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {items.map((budget) => (
            <BudgetRow key={budget.id} budget={budget} name={nameOf(budget)} actions={actionsOf(budget)} />
          ))}
        </Box>
      )}
      {data && data.budgets.totalCount > data.budgets.items.length && (
        <Box sx={{ fontSize: 12, color: 'text.secondary', pb: 1 }}>
          {t('budgets.shown', { shown: integer(data.budgets.items.length), total: integer(data.budgets.totalCount) })}
        </Box>
      )}
      {adding && (
        <Button
          variant="outlined"
          size="small"
          startIcon={<AddOutlinedIcon />}
          disabled={!items}
          onClick={() => setEdited('new')}
        >
          {t('budgets.add')}
        </Button>
      )}
      {edited === 'new' && adding && (
        <NewBudgetDialog subject={adding} onCreated={reload} onClose={() => setEdited(null)} />
      )}
      {edited !== null && edited !== 'new' && (
        <BudgetDialog
          level={edited.level}
          values={toBudgetValues(edited, quotaPerUnit)}
          fixed
          title={t('budgets.edit')}
          submitLabel={t('budgets.save')}
          onSubmit={async (values) => {
            await update({ variables: { input: toBudgetUpdate(edited, values, quotaPerUnit) } });
            await reload();
          }}
          onClose={() => setEdited(null)}
        />
      )}
    </Box>
  );
}

/** Creates one budget, even if the first response was lost and the user saves again. */
function NewBudgetDialog({
  subject,
  onCreated,
  onClose,
}: {
  readonly subject: BudgetSubject;
  readonly onCreated: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const keyFor = useIdempotencyKey();
  const [create] = useMutation(CreateBudgetDocument);
  return (
    <BudgetDialog
      level={subject.level}
      values={newBudget()}
      title={t('budgets.add')}
      submitLabel={t('budgets.create')}
      onSubmit={async (values: BudgetValues) => {
        const input = toNewBudget(subject, values, quotaPerUnit);
        await create({ variables: { input: { ...input, idempotencyKey: keyFor(input) } } });
        await onCreated();
      }}
      onClose={onClose}
    />
  );
}
