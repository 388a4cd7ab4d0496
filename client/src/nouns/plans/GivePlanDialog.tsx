import { useMutation, useQuery } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { FormDialog } from '../../components/FormDialog.js';
import { toast } from '../../components/toast.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { type Account, AccountInput } from '../users/AccountInput.js';
import { GivablePlansDocument, GivePlanDocument, type GivablePlansQuery } from './givePlan.generated.js';

interface Values {
  readonly account: Account | null;
  readonly planId: number | '';
  readonly note: string;
}

/** Gives a plan to an account for one period. */
export function GivePlanDialog({
  account = null,
  plan = null,
  onDone,
  onClose,
}: {
  /** Null: it is chosen in the dialog. */
  readonly account?: Account | null;
  /** Null: it is chosen in the dialog. */
  readonly plan?: GivablePlansQuery['plans'][number] | null;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { data, loading } = useQuery(GivablePlansDocument, { skip: plan !== null, fetchPolicy: 'cache-and-network' });
  const [give] = useMutation(GivePlanDocument);
  const keyOf = useIdempotencyKey();
  const plans = plan ? [plan] : (data?.plans ?? []);
  const form = useForm<Values>({ mode: 'onTouched', defaultValues: { account, planId: plan?.id ?? '', note: '' } });
  const { control } = form;
  const submit = async (values: Values) => {
    const given = plans.find(({ id }) => id === values.planId);
    if (!values.account || !given) return;
    const input = { userId: values.account.id, planId: given.id, note: values.note.trim() || null };
    await give({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    toast.success(t('plans.given', { plan: given.name, name: values.account.username }));
    onDone?.();
  };
  return (
    <FormDialog
      form={form}
      title={
        account
          ? t('plans.giveTo', { name: account.username })
          : plan
            ? t('plans.giveOf', { plan: plan.name })
            : t('plans.give')
      }
      submitLabel={t('plans.give')}
      errorField={plan ? 'account' : 'planId'}
      fieldNames={{ userId: 'account' }}
      onSubmit={submit}
      onClose={onClose}
    >
      {!account && (
        <AccountInput
          control={control}
          name="account"
          label={t('statements.account')}
          required
          rules={{ validate: (value) => value !== null || t('plans.missing') }}
        />
      )}
      {!plan && (
        <SelectInput
          control={control}
          name="planId"
          label={t('plans.ofCode')}
          required
          hint={!loading && plans.length === 0 ? t('plans.noneTitle') : t('plans.giveHint')}
          choices={plans.map(({ id, name }) => ({ value: id, label: name }))}
          rules={{ validate: (value) => value !== '' || t('plans.missing') }}
        />
      )}
      <TextInput control={control} name="note" label={t('users.grantNote')} optional maxLength={200} />
    </FormDialog>
  );
}
