import MenuItem from '@mui/material/MenuItem';
import OutlinedInput from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/form/Field.js';
import { labelledSelect } from '../../components/form/labelledSelect.js';
import { isMaxTokens, type OtherFields, type Parameters } from './parameters.js';
import type { ModelKind } from './playground.generated.js';

/** Names of fields with an own text each. */
const labels = {
  imageSize: 'playground.size',
  imageQuality: 'playground.quality',
  imageCount: 'playground.count',
  voice: 'playground.voice',
  speechFormat: 'playground.format',
  speed: 'playground.speed',
  language: 'playground.language',
  seconds: 'playground.seconds',
  videoSize: 'playground.size',
  dimensions: 'playground.dimensions',
} as const;
type Name = keyof typeof labels;

/** The fields of each kind of model. */
const fieldsOf: Partial<Record<ModelKind, readonly Name[]>> = {
  EMBEDDING: ['dimensions'],
  IMAGE: ['imageSize', 'imageQuality', 'imageCount'],
  SPEECH: ['voice', 'speechFormat', 'speed'],
  TRANSCRIPTION: ['language'],
  VIDEO: ['seconds', 'videoSize'],
};

/** Fields with a list. '' leaves the choice to the model. */
const choices: Partial<Record<Name, readonly string[]>> = {
  imageSize: ['', '512x512', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'],
  imageQuality: ['', 'low', 'medium', 'high', 'standard', 'hd'],
  imageCount: ['1', '2', '3', '4'],
  speechFormat: ['mp3', 'opus', 'aac', 'flac', 'wav'],
  speed: ['0.5', '0.75', '1', '1.25', '1.5', '2'],
  seconds: ['', '4', '5', '6', '8', '10', '12'],
  videoSize: ['', '1280x720', '720x1280', '1792x1024', '1024x1792'],
};

/** Fields of a model that does not chat. */
export function KindFields({
  kind,
  parameters,
  onChange,
}: {
  readonly kind: ModelKind;
  readonly parameters: Parameters;
  readonly onChange: (patch: Partial<Parameters>) => void;
}) {
  const { t } = useTranslation();
  const { others, maxTokens } = parameters;
  const set = (patch: Partial<OtherFields>) => onChange({ others: { ...others, ...patch } });
  return (
    <>
      {kind === 'COMPLETION' && <MaxTokensField value={maxTokens} onChange={(next) => onChange({ maxTokens: next })} />}
      {kind === 'RERANK' && (
        <Field
          id="playground-documents"
          label={t('playground.documents')}
          hint={t('playground.documentsHint')}
          required
        >
          <OutlinedInput
            id="playground-documents"
            multiline
            minRows={5}
            maxRows={14}
            value={others.documents}
            onChange={(event) => set({ documents: event.target.value })}
            inputProps={{ 'aria-describedby': 'playground-documents-hint' }}
          />
        </Field>
      )}
      {(fieldsOf[kind] ?? []).map((name) => (
        <OtherField key={name} name={name} value={others[name]} onChange={(value) => set({ [name]: value })} />
      ))}
    </>
  );
}

function OtherField({
  name,
  value,
  onChange,
}: {
  readonly name: Name;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { t } = useTranslation();
  const id = `playground-${name}`;
  const listed = choices[name];
  if (!listed) {
    return (
      <Field id={id} label={t(labels[name])} optional={name !== 'voice'}>
        <OutlinedInput id={id} value={value} onChange={(event) => onChange(event.target.value)} />
      </Field>
    );
  }
  return (
    <Field id={id} label={t(labels[name])}>
      <Select
        fullWidth
        displayEmpty
        value={listed.includes(value) ? value : (listed[0] ?? '')}
        onChange={(event) => onChange(event.target.value)}
        {...labelledSelect(id)}
      >
        {listed.map((choice) => (
          <MenuItem key={choice} value={choice}>
            {choice === '' ? t('playground.byModel') : choice}
          </MenuItem>
        ))}
      </Select>
    </Field>
  );
}

/** Maximum length of a response. */
export function MaxTokensField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <Field
      id="playground-max-tokens"
      label={t('playground.maxTokens')}
      optional
      {...(isMaxTokens(value) ? {} : { error: t('form.wholeNumber') })}
    >
      <OutlinedInput
        id="playground-max-tokens"
        value={value}
        error={!isMaxTokens(value)}
        onChange={(event) => onChange(event.target.value)}
        inputProps={{
          className: 'num',
          inputMode: 'numeric',
          style: { textAlign: 'right' },
          'aria-describedby': 'playground-max-tokens-hint',
        }}
      />
    </Field>
  );
}
