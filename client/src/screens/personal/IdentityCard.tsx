import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import IconButton from '@mui/material/IconButton';
import EditOutlinedIcon from '@mui/icons-material/EditOutlined';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { integer } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { useFormat } from '../../lib/useFormat.js';
import type { PersonalQuery } from './personal.generated.js';

export type Me = NonNullable<PersonalQuery['me']>;

export function IdentityCard({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  return (
    <Card component="section" aria-label={me.username} sx={{ padding: 2 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Box sx={{ fontSize: 15, fontWeight: 600, mr: 'auto', overflowWrap: 'anywhere' }}>
          {me.displayName || me.username}
        </Box>
        <IconButton
          component={Link}
          to="/user/edit"
          aria-label={t('personal.editTitle')}
          sx={{ width: 28, height: 28 }}
        >
          <EditOutlinedIcon sx={{ fontSize: '16px !important' }} />
        </IconButton>
        <ToneChip tone={me.role === 'ROOT' ? 'violet' : 'outline'}>
          {me.role === 'ROOT' ? t('personal.administrator') : t('personal.commonUser')}
        </ToneChip>
      </Box>
      <Box
        className="num"
        sx={{ mt: '4px', display: 'flex', gap: 1, alignItems: 'center', fontSize: 12, color: 'text.secondary' }}
      >
        {`${me.username} · #${me.id}`}
        <ToneChip tone={groupTone(me.group)}>{me.group}</ToneChip>
      </Box>
      <Box className="num" sx={{ mt: 2, fontSize: 28, lineHeight: '34px', fontWeight: 600, letterSpacing: '-0.025em' }}>
        {money(me.quota, 'balance')}
      </Box>
      <Box
        component="dl"
        sx={{
          m: 0,
          mt: 1,
          display: 'flex',
          gap: 4,
          '& dt': { fontSize: 12, color: 'text.secondary' },
          '& dd': { m: 0, fontWeight: 500 },
        }}
      >
        <div>
          <dt>{t('wallet.used')}</dt>
          <dd>
            <Num>{money(me.usedQuota, 'balance')}</Num>
          </dd>
        </div>
        <div>
          <dt>{t('fields.requests')}</dt>
          <dd>
            <Num>{integer(me.requestCount)}</Num>
          </dd>
        </div>
      </Box>
    </Card>
  );
}
