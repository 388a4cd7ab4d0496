import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Collapse from '@mui/material/Collapse';
import MenuItem from '@mui/material/MenuItem';
import OutlinedInput from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import FormControlLabel from '@mui/material/FormControlLabel';
import Slider from '@mui/material/Slider';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import VerticalSplitOutlinedIcon from '@mui/icons-material/VerticalSplitOutlined';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/form/Field.js';
import { labelledSelect } from '../../components/form/labelledSelect.js';
import { listTexts } from '../../components/form/listTexts.js';
import { ToneChip } from '../../components/Tone.js';
import { ratio } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { KindFields, MaxTokensField } from './KindFields.js';
import type { Parameters } from './parameters.js';
import type { ModelKind } from './playground.generated.js';

export interface GroupChoice {
  readonly name: string;
  readonly description: string;
  readonly ratio: number;
}

/** Fields of the request parameters: group, models, and those of the kind of model. */
export function ParameterFields({
  parameters,
  groups,
  models,
  kind,
  comparable,
  onChange,
}: {
  readonly parameters: Parameters;
  readonly groups: readonly GroupChoice[];
  readonly models: readonly string[];
  readonly kind: ModelKind;
  /** Models that the chosen one can be compared with. */
  readonly comparable: readonly string[];
  readonly onChange: (patch: Partial<Parameters>) => void;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      <Field id="playground-group" label={t('fields.group')}>
        <Select
          fullWidth
          value={parameters.group}
          onChange={(event) => onChange({ group: event.target.value })}
          {...labelledSelect('playground-group')}
        >
          {groups.map((group) => (
            <MenuItem key={group.name} value={group.name} sx={{ gap: 1 }}>
              {group.name}
              <Box component="span" sx={{ ml: 1 }}>
                <ToneChip tone={groupTone(group.name)}>{`${ratio(group.ratio)}×`}</ToneChip>
              </Box>
            </MenuItem>
          ))}
        </Select>
      </Field>
      <ModelField
        id="playground-model"
        label={t('fields.model')}
        models={models}
        value={parameters.model}
        onChange={(model) => onChange({ model })}
      />
      {parameters.compareModel !== '' && (
        <ModelField
          id="playground-compare"
          label={t('playground.comparedWith')}
          models={comparable}
          value={parameters.compareModel}
          onChange={(compareModel) => onChange({ compareModel })}
        />
      )}
      {(parameters.compareModel !== '' || comparable.length > 0) && (
        <Button
          variant="outlined"
          startIcon={<VerticalSplitOutlinedIcon />}
          onClick={() => onChange({ compareModel: parameters.compareModel === '' ? (comparable[0] ?? '') : '' })}
        >
          {t(parameters.compareModel === '' ? 'playground.compare' : 'playground.endCompare')}
        </Button>
      )}
      {kind === 'CHAT' ? (
        <ChatFields parameters={parameters} onChange={onChange} />
      ) : (
        <KindFields kind={kind} parameters={parameters} onChange={onChange} />
      )}
    </Box>
  );
}

function ModelField({
  id,
  label,
  models,
  value,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly models: readonly string[];
  readonly value: string;
  readonly onChange: (model: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <Field id={id} label={label}>
      <Autocomplete
        {...listTexts(t)}
        id={id}
        disableClearable
        popupIcon={<ExpandMoreOutlinedIcon sx={{ fontSize: 16 }} />}
        options={models}
        value={value}
        onChange={(_, model) => onChange(model)}
        renderInput={(input) => <TextField {...input} />}
      />
    </Field>
  );
}

/** Fields of chat models. */
function ChatFields({
  parameters,
  onChange,
}: {
  readonly parameters: Parameters;
  readonly onChange: (patch: Partial<Parameters>) => void;
}) {
  const { t } = useTranslation();
  const [more, setMore] = useState(
    parameters.topP !== 1 || parameters.frequencyPenalty !== 0 || parameters.presencePenalty !== 0,
  );
  return (
    <>
      <Scale
        id="playground-temperature"
        label={t('playground.temperature')}
        value={parameters.temperature}
        range={[0.1, 1, 0.1]}
        onChange={(temperature) => onChange({ temperature })}
      />
      <MaxTokensField value={parameters.maxTokens} onChange={(maxTokens) => onChange({ maxTokens })} />
      <Field id="playground-system" label={t('fields.systemPrompt')} optional>
        <OutlinedInput
          id="playground-system"
          multiline
          minRows={5}
          maxRows={14}
          value={parameters.systemPrompt}
          onChange={(event) => onChange({ systemPrompt: event.target.value })}
        />
      </Field>
      <Box>
        <Button
          aria-expanded={more}
          onClick={() => setMore(!more)}
          startIcon={<ExpandMoreOutlinedIcon sx={{ transform: more ? 'none' : 'rotate(-90deg)' }} />}
          sx={{ color: 'text.secondary', ml: '-6px' }}
        >
          {t('playground.more')}
        </Button>
        <Collapse in={more} unmountOnExit>
          <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, pt: 1 }}>
            <Scale
              id="playground-top-p"
              label={t('playground.topP')}
              value={parameters.topP}
              range={[0, 1, 0.05]}
              onChange={(topP) => onChange({ topP })}
            />
            <Scale
              id="playground-frequency"
              label={t('playground.frequencyPenalty')}
              value={parameters.frequencyPenalty}
              range={[-2, 2, 0.1]}
              onChange={(frequencyPenalty) => onChange({ frequencyPenalty })}
            />
            <Scale
              id="playground-presence"
              label={t('playground.presencePenalty')}
              value={parameters.presencePenalty}
              range={[-2, 2, 0.1]}
              onChange={(presencePenalty) => onChange({ presencePenalty })}
            />
            <FormControlLabel
              control={
                <Switch
                  checked={parameters.autoReconnect}
                  onChange={(_, autoReconnect) => onChange({ autoReconnect })}
                  slotProps={{ input: { 'aria-describedby': 'playground-reconnect-hint' } }}
                />
              }
              label={t('playground.autoReconnect')}
              labelPlacement="start"
              slotProps={{ typography: { variant: 'body2', sx: { fontWeight: 500 } } }}
              sx={{ m: 0, justifyContent: 'space-between' }}
            />
            <Box id="playground-reconnect-hint" sx={{ fontSize: 12, color: 'text.secondary', mt: -1 }}>
              {t('playground.autoReconnectHint')}
            </Box>
          </Box>
        </Collapse>
      </Box>
    </>
  );
}

/** A slider with its value beside the label. Values outside the range are shown at the nearer end. */
function Scale({
  id,
  label,
  value,
  range: [least, most, step],
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly range: readonly [least: number, most: number, step: number];
  readonly onChange: (value: number) => void;
}) {
  return (
    <Field id={id} label={label} aside={String(value)}>
      <Box sx={{ px: 1 }}>
        <Slider
          size="small"
          value={Math.min(most, Math.max(least, value))}
          min={least}
          max={most}
          step={step}
          // A range around zero has no filled side.
          track={least < 0 ? false : 'normal'}
          onChange={(_, next) => onChange(Number(next.toFixed(2)))}
          getAriaValueText={() => String(value)}
          slotProps={{ input: { id } }}
          aria-label={label}
          sx={{ display: 'block', py: '13px !important' }}
        />
      </Box>
    </Field>
  );
}
