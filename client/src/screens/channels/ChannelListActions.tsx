import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import BoltOutlinedIcon from '@mui/icons-material/BoltOutlined';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ButtonMenu } from '../../components/ButtonMenu.js';
import { RowMenu } from '../../components/RowMenu.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import type { useMaintenance } from './useMaintenance.js';

export function AddChannel({ search }: { readonly search: string }) {
  const { t } = useTranslation();
  return (
    <Button variant="contained" component={Link} to={`/channel/add${search}`} startIcon={<AddOutlinedIcon />}>
      {t('channels.add')}
    </Button>
  );
}

/** Test all, Maintenance and Add; on narrow screens one menu and Add. */
export function ChannelListActions({
  maintenance,
  search,
}: {
  readonly maintenance: ReturnType<typeof useMaintenance>;
  readonly search: string;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const testAll = { label: t('channels.testAll'), onSelect: () => void maintenance.testAll() };
  const actions = [
    { label: t('channels.updateBalances'), onSelect: () => void maintenance.updateBalances() },
    { label: t('channels.fix'), onSelect: () => void maintenance.fix() },
    { label: t('channels.deleteDisabled'), destructive: true, onSelect: () => void maintenance.deleteDisabled() },
  ];
  if (mobile) {
    return (
      <>
        <RowMenu label={t('fields.maintenance')} actions={[testAll, ...actions]} />
        <AddChannel search={search} />
      </>
    );
  }
  return (
    <>
      <Button variant="outlined" startIcon={<BoltOutlinedIcon />} onClick={testAll.onSelect}>
        {testAll.label}
      </Button>
      <ButtonMenu label={t('fields.maintenance')} actions={actions} />
      <AddChannel search={search} />
    </>
  );
}
