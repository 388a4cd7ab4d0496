import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

export function AddChannel({ search }: { readonly search: string }) {
  const { t } = useTranslation();
  return (
    <Button variant="contained" component={Link} to={`/channel/add${search}`} startIcon={<AddOutlinedIcon />}>
      {t('channels.add')}
    </Button>
  );
}
