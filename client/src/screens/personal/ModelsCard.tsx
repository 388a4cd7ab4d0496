import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/CopyProvider.js';
import { ToneChip } from '../../components/Tone.js';
import { Panel } from './Panel.js';

const shownAtFirst = 10;

/** Models the user can call. A click copies the name. */
export function ModelsCard({ models }: { readonly models: readonly string[] }) {
  const { t } = useTranslation();
  const copy = useCopy();
  const [all, setAll] = useState(false);
  return (
    <Panel title={t('personal.models')}>
      {models.length === 0 && <Box sx={{ color: 'text.secondary' }}>{t('personal.noModels')}</Box>}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: '4px' }}>
        {(all ? models : models.slice(0, shownAtFirst)).map((model) => (
          <ButtonBase
            key={model}
            aria-label={t('pricing.copyName', { name: model })}
            onClick={() => void copy(model)}
            sx={{ borderRadius: '4px', fontFamily: 'inherit', maxWidth: '100%' }}
          >
            <ToneChip tone="grey">{model}</ToneChip>
          </ButtonBase>
        ))}
      </Box>
      {models.length > shownAtFirst && (
        <Button sx={{ mt: 1 }} onClick={() => setAll(!all)}>
          {all ? t('personal.showLess') : t('personal.showAll', { count: models.length })}
        </Button>
      )}
    </Panel>
  );
}
