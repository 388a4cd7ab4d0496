import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../../components/Segments.js';
import { chatLinksText, parseChatLinks, type ChatLinkRow } from './chatLinks.js';
import { AreaControl, type ControlProps } from './AreaControl.js';
import { useSetting } from './SettingsContext.js';

const linkExample = 'https://…{address}…{key}';

/** Chat links as rows of name and link, or as JSON, their stored form. */
export function ChatLinksControl(props: ControlProps) {
  const { t } = useTranslation();
  const { value, change, writable } = useSetting(props.setting.key);
  const rows = parseChatLinks(value);
  const [asJson, setAsJson] = useState(false);
  const put = (index: number, patch: Partial<ChatLinkRow>) =>
    change(chatLinksText((rows ?? []).map((row, at) => (at === index ? { ...row, ...patch } : row))));
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Segments
        label={t('settings.chatView')}
        value={asJson || rows === null ? 'json' : 'rows'}
        onChange={(view) => setAsJson(view === 'json')}
        choices={[
          { value: 'rows', label: t('settings.chatRows'), disabled: rows === null },
          { value: 'json', label: t('settings.chatJson') },
        ]}
      />
      {asJson || rows === null ? (
        <AreaControl {...props} />
      ) : (
        <>
          {rows.map((row, index) => (
            <Box
              key={index}
              sx={{
                display: 'grid',
                gap: 1,
                gridTemplateColumns: { xs: '1fr 32px', sm: '200px 1fr 32px' },
                alignItems: 'center',
              }}
            >
              <OutlinedInput
                id={index === 0 ? props.id : undefined}
                value={row.name}
                disabled={!writable}
                placeholder={t('fields.name')}
                onChange={(event) => put(index, { name: event.target.value })}
                inputProps={{ 'aria-label': t('settings.chatNameOf', { number: index + 1 }) }}
              />
              <OutlinedInput
                value={row.link}
                disabled={!writable}
                placeholder={linkExample}
                onChange={(event) => put(index, { link: event.target.value })}
                inputProps={{ 'aria-label': t('settings.chatLinkOf', { number: index + 1 }), spellCheck: false }}
                sx={{ gridRow: { xs: 2, sm: 'auto' }, gridColumn: { xs: '1 / 3', sm: 'auto' } }}
              />
              <IconButton
                aria-label={t('settings.chatRemove', { name: row.name })}
                disabled={!writable}
                onClick={() => change(chatLinksText(rows.filter((_, at) => at !== index)))}
              >
                <DeleteOutlinedIcon />
              </IconButton>
            </Box>
          ))}
          <Button
            startIcon={<AddOutlinedIcon />}
            disabled={!writable}
            sx={{ alignSelf: 'flex-start' }}
            onClick={() => change(chatLinksText([...rows, { name: '', link: '' }]))}
          >
            {t('settings.chatAdd')}
          </Button>
        </>
      )}
    </Box>
  );
}
