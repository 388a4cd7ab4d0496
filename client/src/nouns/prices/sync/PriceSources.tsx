import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Chip from '@mui/material/Chip';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import UploadFileOutlinedIcon from '@mui/icons-material/UploadFileOutlined';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../../components/form/Field.js';
import { Notice } from '../../../components/Notice.js';
import { ToneChip } from '../../../components/Tone.js';
import { useAction } from '../../../components/useAction.js';
import { dateTime, integer } from '../../../lib/format.js';
import { sendPriceFile } from './priceFile.js';
import { CheckPricesDocument, type PriceCheckHeadFragment } from './priceSync.generated.js';
import { sourceName } from './diffLine.js';

const exampleAddress = 'https://gate.example.com';

const publicLists = [
  {
    name: 'LiteLLM',
    url: 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
  },
  { name: 'models.dev', url: 'https://models.dev/api.json' },
  { name: 'OpenRouter', url: 'https://openrouter.ai/api/v1/models' },
] as const;

/** A site's address becomes the address of its price list; Tollgate then adds its cards, new-api ignores the parameter. */
const toListAddress = (line: string): string => {
  if (!URL.canParse(line)) return line;
  const url = new URL(line);
  return url.pathname === '/' ? `${url.origin}/api/pricing?cards=true` : line;
};

/** The choice of lists, and what the last check read. */
export function PriceSources({
  check,
  onChecked,
}: {
  readonly check: PriceCheckHeadFragment | null;
  readonly onChecked: (id: number) => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<readonly string[]>([publicLists[0].url]);
  const [typed, setTyped] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const [checkPrices] = useMutation(CheckPricesDocument);
  const urls = [
    ...chosen,
    ...typed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map(toListAddress),
  ];

  const run = async () => {
    setBusy(true);
    await act(async () => {
      let made = file ? await sendPriceFile(file, null) : null;
      if (urls.length > 0) {
        const { data } = await checkPrices({ variables: { input: { urls, withCheckId: made } } });
        made = data?.checkPrices?.check.id ?? made;
      }
      if (made !== null) onChecked(made);
      return t('priceSync.checked');
    });
    setBusy(false);
  };

  return (
    <Card
      component="section"
      aria-label={t('priceSync.sources')}
      sx={{ padding: 2, display: 'flex', flexDirection: 'column', gap: 2, overflow: 'visible' }}
    >
      <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '20px' }}>
        {t('priceSync.sources')}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        {publicLists.map(({ name, url }) => {
          const isChosen = chosen.includes(url);
          return (
            <Chip
              key={url}
              label={name}
              color={isChosen ? 'primary' : 'default'}
              variant={isChosen ? 'filled' : 'outlined'}
              aria-pressed={isChosen}
              onClick={() => setChosen(isChosen ? chosen.filter((one) => one !== url) : [...chosen, url])}
            />
          );
        })}
        <input
          ref={picker}
          type="file"
          accept=".json,application/json,text/plain"
          hidden
          aria-label={t('priceSync.file')}
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        {file ? (
          <Chip label={file.name} color="primary" onDelete={() => setFile(null)} />
        ) : (
          <Button startIcon={<UploadFileOutlinedIcon />} onClick={() => picker.current?.click()}>
            {t('priceSync.file')}
          </Button>
        )}
      </Box>
      <Field id={id} label={t('priceSync.addresses')} hint={t('priceSync.addressesHint')} optional>
        <OutlinedInput
          id={id}
          multiline
          minRows={2}
          maxRows={5}
          fullWidth
          value={typed}
          placeholder={exampleAddress}
          onChange={(event) => setTyped(event.target.value)}
          inputProps={{ 'aria-describedby': `${id}-hint` }}
        />
      </Field>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 2 }}>
        <Button
          variant="contained"
          loading={busy}
          disabled={urls.length === 0 && file === null}
          onClick={() => void run()}
        >
          {t('priceSync.check')}
        </Button>
        <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('priceSync.checkText')}</Box>
      </Box>
      {check && <LastCheck check={check} />}
    </Card>
  );
}

function LastCheck({ check }: { readonly check: PriceCheckHeadFragment }) {
  const { t } = useTranslation();
  return (
    <Box
      sx={{ display: 'flex', flexDirection: 'column', gap: 1, borderTop: '1px solid', borderColor: 'divider', pt: 2 }}
    >
      <Box className="num" sx={{ fontSize: 12.5, fontWeight: 500 }}>
        {t(check.isScheduled ? 'priceSync.lastScheduled' : 'priceSync.last', { date: dateTime(check.createdAt) })}
      </Box>
      {check.sources.map((source) =>
        source.errorCode ? (
          <Notice key={source.label} tone="red">
            {t('priceSync.sourceFailed', { source: sourceName(source.label), reason: source.error ?? '' })}
          </Notice>
        ) : (
          <Box
            key={source.label}
            className="num"
            sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, fontSize: 12.5, overflowWrap: 'anywhere' }}
          >
            {sourceName(source.label)}
            <ToneChip tone="grey">
              {t('priceSync.models', { count: source.modelCount, n: integer(source.modelCount) })}
            </ToneChip>
            {source.skippedCount > 0 && (
              <ToneChip
                tone="amber"
                hint={source.skipped
                  .slice(0, 8)
                  .map(({ model, reason }) => `${model}: ${reason}`)
                  .join(' · ')}
              >
                {t('priceSync.skipped', { n: integer(source.skippedCount) })}
              </ToneChip>
            )}
          </Box>
        ),
      )}
    </Box>
  );
}
