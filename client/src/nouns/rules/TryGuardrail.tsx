import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/form/Field.js';
import { lengthNotes } from '../../components/form/lengthNotes.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { TryGuardrailDocument } from './rules.generated.js';
import type { RuleRow } from './ruleText.js';
import { listText } from '../../lib/format.js';

/** Maximum number of characters that the server checks at once. */
const maxLength = 10_000;

/** A text that the server checks with the rule as it stands in the editor. */
export function TryGuardrail({
  rule,
}: {
  /** Resolves to null when the rule is not valid yet. */
  readonly rule: () => Promise<RuleRow | null>;
}) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState('');
  const [tried, setTried] = useState<RuleRow | null>(null);
  const [check, { data, loading, error }] = useMutation(TryGuardrailDocument, { fetchPolicy: 'no-cache' });
  const run = async () => {
    const row = await rule();
    setTried(row);
    // A failure is shown from the state of the mutation.
    if (row) await check({ variables: { input: { rule: JSON.stringify(row), text } } }).catch(() => undefined);
  };
  const notes = lengthNotes(text, maxLength, t);
  const found = tried ? data?.tryGuardrail.trial : undefined;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      <Field label={t('rules.tryLabel')} id={id} {...notes}>
        <OutlinedInput
          id={id}
          fullWidth
          multiline
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.target.value)}
          inputProps={{ maxLength, 'aria-describedby': notes.hint && `${id}-hint` }}
        />
      </Field>
      <Button
        variant="outlined"
        loading={loading}
        disabled={text.trim() === ''}
        onClick={() => void run()}
        sx={{ alignSelf: 'flex-start' }}
      >
        {t('rules.tryButton')}
      </Button>
      {error && tried && !loading && (
        <LoadFailure title={t('rules.tryFailed')} error={error} onRetry={() => void run()} />
      )}
      {found && !error && !loading && (
        // The result would otherwise appear below the visible part of the drawer.
        <Box
          ref={(box: HTMLElement | null) => box?.scrollIntoView?.({ block: 'nearest' })}
          sx={{ display: 'grid', gap: 1 }}
        >
          <Result found={found} action={tried?.['action']} onFailure={tried?.['on_failure']} />
        </Box>
      )}
    </Box>
  );
}

function Result({
  found: { matched, text, failure },
  action,
  onFailure,
}: {
  readonly found: { readonly matched: readonly string[]; readonly text: string; readonly failure: string | null };
  readonly action: unknown;
  readonly onFailure: unknown;
}) {
  const { t } = useTranslation();
  if (failure !== null) {
    return (
      <Notice tone="red">
        {t(onFailure === 'closed' ? 'rules.notCheckedClosed' : 'rules.notCheckedOpen', { reason: failure })}
      </Notice>
    );
  }
  if (matched.length === 0) return <Notice tone="blue">{t('rules.nothingFound')}</Notice>;
  const names = listText(matched);
  if (action === 'block') return <Notice tone="amber">{t('rules.wouldBlock', { names })}</Notice>;
  if (action === 'log') return <Notice tone="amber">{t('rules.wouldLog', { names })}</Notice>;
  return (
    <>
      <Notice tone="amber">{t('rules.wouldMask', { names })}</Notice>
      <Box
        className="mono"
        aria-label={t('rules.maskedText')}
        role="group"
        sx={({ vars }) => ({
          padding: '8px 12px',
          borderRadius: '6px',
          backgroundColor: vars.palette.surface.sunken,
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          fontSize: 12.5,
        })}
      >
        {text}
      </Box>
    </>
  );
}
