import { skipToken, useQuery } from '@apollo/client/react';
import MuiLink from '@mui/material/Link';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useMay } from '../../lib/permissions.js';
import { Notice } from '../../components/Notice.js';
import { UnpricedModelsDocument } from './unpriced.generated.js';

const noModels: readonly string[] = [];

/** Names shown before "and 12 more". */
const shownNames = 5;

/**
 * The models without a price, which no user can call. For users who may set prices or change channels.
 * @param among the models of which unpriced ones are named; null: the models of enabled channels
 * @returns none while loading
 */
export function useUnpricedModels(among: readonly string[] | null): readonly string[] {
  const mayAsk = useMay('PRICES', 'CHANNELS_WRITE');
  const sorted = useMemo(() => among && [...among].sort(), [among]);
  const { data, previousData } = useQuery(
    UnpricedModelsDocument,
    !mayAsk || sorted?.length === 0 ? skipToken : { variables: { among: sorted }, fetchPolicy: 'network-only' },
  );
  const names = (mayAsk && (data ?? previousData)?.unpricedModels) || [];
  return sorted ? names.filter((name) => sorted.includes(name)) : names;
}

/**
 * Names the models without a price, with a link to set one. Renders nothing if all models have one, or for users who
 * may not set it.
 */
export function UnpricedNotice({
  among = null,
  newTab = false,
}: {
  readonly among?: readonly string[] | null;
  /** Keeps the form that the notice is in. */
  readonly newTab?: boolean;
}) {
  const { t } = useTranslation();
  const mayPrice = useMay('PRICES');
  const models = useUnpricedModels(mayPrice ? among : noModels);
  if (models.length === 0) return null;
  const names = models.slice(0, shownNames).join(t('unpriced.comma'));
  const more = models.length - shownNames;
  return (
    <Notice tone="amber">
      {t('unpriced.text', { count: models.length })}
      {names}
      {more > 0 && t('unpriced.more', { count: more })}
      {t('unpriced.stop')}
      <MuiLink
        component={Link}
        to="/setting?tab=operation&section=prices&view=unset"
        {...(newTab ? { target: '_blank' } : {})}
      >
        {t('unpriced.set')}
      </MuiLink>
    </Notice>
  );
}
