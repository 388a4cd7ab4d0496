import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../../components/ContentDialog.js';

const shortcuts = [
  ['Ctrl K / ⌘ K', 'palette.title'],
  ['?', 'palette.shortcuts'],
  ['/', 'palette.focusSearch'],
  ['F', 'palette.addFilter'],
  ['Ctrl S / ⌘ S', 'palette.saveForm'],
  ['↑ ↓', 'palette.neighbours'],
  ['Enter', 'palette.openRow'],
  ['Esc', 'palette.closeTop'],
] as const;

/** The keys that the console understands. */
export function ShortcutList({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  if (!open) return null;
  return (
    <ContentDialog title={t('palette.shortcuts')} onClose={onClose}>
      <Box
        component="dl"
        sx={{ m: 0, display: 'grid', gridTemplateColumns: 'max-content 1fr', gap: '8px 24px', '& dd': { m: 0 } }}
      >
        {shortcuts.map(([keys, label]) => (
          <Box key={keys} sx={{ display: 'contents' }}>
            <dt className="mono">{keys}</dt>
            <dd>{t(label)}</dd>
          </Box>
        ))}
      </Box>
    </ContentDialog>
  );
}
