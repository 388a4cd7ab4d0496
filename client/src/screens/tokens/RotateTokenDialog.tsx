import { useMutation } from '@apollo/client/react';
import { useRef } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectInput } from '../../components/form/SelectInput.js';
import { FormDialog } from '../../components/FormDialog.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { RotateTokenDocument, type TokenRowFragment } from './tokens.generated.js';
import type { UsedToken } from './TokenUsageDialog.js';

const hour = 3_600_000;
/** Milliseconds for which both keys work; 0: the old one ends at once. */
const overlaps = [
  { value: 24 * hour, label: 'tokenKeys.overlapDay' },
  { value: 7 * 24 * hour, label: 'tokenKeys.overlapWeek' },
  { value: 30 * 24 * hour, label: 'tokenKeys.overlapMonth' },
  { value: hour, label: 'tokenKeys.overlapHour' },
  { value: 0, label: 'tokenKeys.overlapNone' },
] as const;

/** Gives a token a new key, and asks how long the old one works. */
export function RotateTokenDialog({
  token,
  onRotated,
  onClose,
}: {
  readonly token: TokenRowFragment;
  readonly onRotated: (rotated: UsedToken) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [rotate] = useMutation(RotateTokenDocument);
  const form = useForm<{ overlap: number }>({ defaultValues: { overlap: overlaps[0].value } });
  const keyOf = useIdempotencyKey();
  /** The end of the last submission: after a lost response the same end is sent again. */
  const end = useRef({ overlap: 0, at: 0 });
  const submit = async ({ overlap }: { readonly overlap: number }) => {
    if (end.current.overlap !== overlap) end.current = { overlap, at: Date.now() + overlap };
    const overlapUntil = overlap === 0 ? null : new Date(end.current.at).toISOString();
    const input = { id: token.id, overlapUntil };
    const { data } = await rotate({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    const made = data?.rotateToken;
    if (made) onRotated({ id: token.id, name: token.name, key: made.key, models: made.token.modelLimits ?? [] });
  };
  return (
    <FormDialog
      form={form}
      title={t('tokenKeys.rotateTitle', { name: token.name })}
      submitLabel={t('tokenKeys.rotateVerb')}
      errorField="overlap"
      onSubmit={submit}
      onClose={onClose}
    >
      <div>{t('tokenKeys.rotateText')}</div>
      <SelectInput
        control={form.control}
        name="overlap"
        label={t('tokenKeys.overlap')}
        choices={overlaps.map(({ value, label }) => ({ value, label: t(label) }))}
      />
    </FormDialog>
  );
}
