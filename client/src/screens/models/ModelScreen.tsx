import { skipToken, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { ObjectPage, type ObjectTab } from '../../components/ObjectPage.js';
import { ToneChip } from '../../components/Tone.js';
import { useMay } from '../../lib/permissions.js';
import { modelAddress } from '../../nouns/objects/addresses.js';
import { CallsTab, ChangesTab, ErrorsTab, ProfitTab, UsageSummary } from '../../nouns/objects/tabs.js';
import { ModelPageDocument } from './models.generated.js';
import { PriceTab } from './PriceTab.js';

/** The page of a model, as clients name it: its calls, errors, price and cost, what each channel earns with it, and changes of its price. */
export function ModelScreen() {
  const { t } = useTranslation();
  const name = useParams().name ?? '';
  const readsChannels = useMay('CHANNELS_READ');
  const readsLogs = useMay('LOGS_READ');
  const readsUsage = useMay('USAGE_READ');
  const readsAudit = useMay('AUDIT');
  const setsPrices = useMay('PRICES');
  const writesChannels = useMay('CHANNELS_WRITE');
  const navigate = useNavigate();
  const { data } = useQuery(
    ModelPageDocument,
    readsChannels ? { variables: { name }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  const serving = data?.channels.totalCount;
  const filter = { models: [name] };
  const tabs: ObjectTab[] = [
    ...(readsLogs
      ? [{ id: 'calls', label: t('dashboard.calls'), content: <CallsTab filter={filter} without="modelName" /> }]
      : []),
    ...(readsChannels ? [{ id: 'errors', label: t('objects.errors'), content: <ErrorsTab filter={filter} /> }] : []),
    ...(setsPrices || writesChannels
      ? [{ id: 'price', label: t('objects.price'), content: <PriceTab name={name} /> }]
      : []),
    ...(readsUsage
      ? [{ id: 'cost', label: t('objects.cost'), content: <ProfitTab filter={filter} by="CHANNEL" /> }]
      : []),
    ...(readsAudit
      ? [
          {
            id: 'changes',
            label: t('objects.changes'),
            content: <ChangesTab subject="OPTION" entry={name} onRestored={() => undefined} />,
          },
        ]
      : []),
  ];
  const search = encodeURIComponent(name);
  return (
    <ObjectPage
      key={name}
      list={{ label: t('shell.modelHealth'), to: '/model-health' }}
      title={name}
      chips={
        serving !== undefined && (
          <ToneChip tone={serving > 0 ? 'green' : 'red'} dot>
            {t('objects.servedBy', { count: serving })}
          </ToneChip>
        )
      }
      primary={
        <Button
          variant="contained"
          component={Link}
          to={setsPrices ? `/setting?tab=operation&section=prices&model=${search}` : `/pricing?row=${search}`}
        >
          {setsPrices ? t('objects.editPrice') : t('objects.price')}
        </Button>
      }
      menu={
        readsChannels ? [{ label: t('shell.channels'), onSelect: () => void navigate(`/channel?model=${search}`) }] : []
      }
      summary={readsUsage && <UsageSummary filter={filter} />}
      address={modelAddress(name)}
      tabs={tabs}
    />
  );
}
