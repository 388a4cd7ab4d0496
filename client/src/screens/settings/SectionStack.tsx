import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import IconButton from '@mui/material/IconButton';
import ExpandLessOutlinedIcon from '@mui/icons-material/ExpandLessOutlined';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { useMay } from '../../lib/permissions.js';
import { rootRole, useSession } from '../../lib/session.js';
import { readText, writeText } from '../../lib/storage.js';
import { ruleControls } from '../../nouns/rules/ruleControls.js';
import { BudgetPanel } from './BudgetPanel.js';
import { AlertTests } from './AlertTests.js';
import { GroupEditor } from './GroupEditor.js';
import { LogCleanup } from './LogCleanup.js';
import { PaymentTest } from './PaymentTest.js';
import { SettingRow } from '../../nouns/settings/SettingRow.js';
import { sectionIdsFor, sectionsFor } from '../../nouns/settings/settingsAccess.js';
import { settingsByKey } from '../../nouns/settings/settingsByKey.js';
import { type SectionId, type Tab } from '../../nouns/settings/settingsCatalog.js';
import { useSettingsDraft } from '../../nouns/settings/SettingsContext.js';
import type { SettingsDraft } from '../../nouns/settings/settingsDraft.js';
import { SignInProviders } from './SignInProviders.js';
import { AddedProviders } from './AddedProviders.js';
import { useFoundSetting } from './useFoundSetting.js';
import { VersionPanel } from './VersionPanel.js';

const anchor = (id: SectionId): string => `section-${id}`;

/** The sections of a tab that the user may see, and a list of them at the left. */
export function SectionStack({ tab }: { readonly tab: Tab }) {
  const { t } = useTranslation();
  const user = useSession();
  const sections = sectionsFor(user, tab);
  const ids = sectionIdsFor(user, tab);
  const cleans = useMay('LOGS_DELETE');
  const isRoot = user?.role === rootRole;
  const { isFolded, isHeldOpen, fold } = useFolded();
  const folding = (id: SectionId) => ({
    id,
    isFolded: isFolded(id),
    isHeldOpen: isHeldOpen(id),
    onFold: (on: boolean) => fold([id], on),
  });
  useFoundSetting();
  return (
    <Box sx={{ display: 'flex', gap: 4, alignItems: 'flex-start' }}>
      <SectionList ids={ids} isFolded={isFolded} isHeldOpen={isHeldOpen} onFold={fold} />
      <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column', gap: 2 }}>
        {sections.map((section) => (
          <Panel key={section.id} {...folding(section.id)}>
            {section.id === 'groupRatios' ? (
              <GroupEditor settings={section.settings} />
            ) : (
              section.settings.map((setting) => (
                <SettingRow key={setting.key} setting={setting} Control={ruleControls[setting.kind]} />
              ))
            )}
            {section.id === 'budgets' && <BudgetPanel />}
            {section.id === 'log' && cleans && <LogCleanup />}
            {section.id === 'signIn' && <SignInProviders />}
            {section.id === 'signIn' && isRoot && <AddedProviders />}
            {section.id === 'alerts' && <AlertTests />}
            {section.id === 'payment' && <PaymentTest />}
          </Panel>
        ))}
        {ids.includes('prices') && (
          <Panel {...folding('prices')}>
            <Box
              sx={{
                mx: 2,
                padding: '12px 0',
                borderTop: '1px solid',
                borderColor: 'divider',
                display: 'flex',
                alignItems: 'center',
                justifyContent: 'space-between',
                gap: 2,
              }}
            >
              <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('settings.pricesText')}</Box>
              <Button variant="outlined" component={Link} to="/setting?tab=operation&section=prices">
                {t('settings.openPrices')}
              </Button>
            </Box>
          </Panel>
        )}
        {ids.includes('version') && (
          <Panel {...folding('version')}>
            <VersionPanel />
          </Panel>
        )}
      </Box>
    </Box>
  );
}

/** Where a browser keeps which sections it shows without their settings. */
const foldedKey = 'settings-folded';

/** Remembers the folded sections. A section with unsaved changes, or with the setting that was searched for, is shown whole. */
function useFolded() {
  const [params] = useSearchParams();
  const draft = useSettingsDraft();
  const changed = useChangedSections(draft);
  const found = settingsByKey.get(params.get('find') ?? '')?.section;
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set((readText(foldedKey) ?? '').split(' ')));
  const isHeldOpen = (id: SectionId): boolean => changed.includes(id) || found === id;
  return {
    isHeldOpen,
    isFolded: (id: SectionId): boolean => folded.has(id) && !isHeldOpen(id),
    fold: (ids: readonly SectionId[], on: boolean): void => {
      const next = new Set(on ? [...folded, ...ids] : [...folded].filter((id) => !ids.some((one) => one === id)));
      writeText(foldedKey, [...next].filter(Boolean).join(' '));
      setFolded(next);
    },
  };
}

/** The sections with unsaved changes. */
const useChangedSections = (draft: SettingsDraft): readonly string[] =>
  useSyncExternalStore(draft.subscribe, () =>
    [...new Set([...draft.state().edits.keys()].map((key) => settingsByKey.get(key)?.section ?? ''))].sort().join(' '),
  ).split(' ');

function Panel({
  id,
  isFolded,
  isHeldOpen,
  onFold,
  children,
}: {
  readonly id: SectionId;
  readonly isFolded: boolean;
  /** Whether the section cannot be folded now. */
  readonly isHeldOpen: boolean;
  readonly onFold: (on: boolean) => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  const name = t(`settings.sections.${id}`);
  return (
    <Card
      component="section"
      id={anchor(id)}
      aria-labelledby={`${anchor(id)}-title`}
      sx={{ scrollMarginTop: 64, overflow: 'visible' }}
    >
      <Box
        sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', padding: '10px 8px 10px 16px' }}
      >
        <Typography variant="h2" id={`${anchor(id)}-title`} sx={{ fontSize: 14, lineHeight: '20px' }}>
          {name}
        </Typography>
        <IconButton
          aria-label={t(isFolded ? 'settings.unfold' : 'settings.fold', { name })}
          aria-expanded={!isFolded}
          disabled={isHeldOpen}
          onClick={() => onFold(!isFolded)}
        >
          {isFolded ? <ExpandMoreOutlinedIcon /> : <ExpandLessOutlinedIcon />}
        </IconButton>
      </Box>
      {!isFolded && children}
    </Card>
  );
}

/** Highlights the section in view; a dot marks sections with unsaved changes. */
function SectionList({
  ids,
  isFolded,
  isHeldOpen,
  onFold,
}: {
  readonly ids: readonly SectionId[];
  readonly isFolded: (id: SectionId) => boolean;
  readonly isHeldOpen: (id: SectionId) => boolean;
  readonly onFold: (ids: readonly SectionId[], on: boolean) => void;
}) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const draft = useSettingsDraft();
  const changed = useChangedSections(draft);
  const [current, setCurrent] = useState<SectionId | undefined>(ids[0]);
  const idText = ids.join(' ');
  // The section that was clicked stays marked while the page scrolls to it: the last ones never reach the top.
  const clicked = useRef(false);
  useEffect(() => {
    const follow = () => {
      if (clicked.current) return;
      const passed = (idText.split(' ') as SectionId[]).filter(
        (id) => (document.getElementById(anchor(id))?.getBoundingClientRect().top ?? 1) <= 120,
      );
      setCurrent((before) => passed.at(-1) ?? (idText.split(' ')[0] as SectionId | undefined) ?? before);
    };
    const release = () => (clicked.current = false);
    const byHand = ['wheel', 'touchmove', 'keydown'];
    addEventListener('scroll', follow, { passive: true });
    for (const event of byHand) addEventListener(event, release, { passive: true });
    return () => {
      removeEventListener('scroll', follow);
      for (const event of byHand) removeEventListener(event, release);
    };
  }, [idText]);
  // A found setting scrolls to the middle of the window, where the section above may still be in view.
  const found = settingsByKey.get(params.get('find') ?? '')?.section;
  useEffect(() => {
    if (found === undefined) return;
    clicked.current = true;
    setCurrent(found);
  }, [found]);
  if (ids.length < 2) return null;
  const foldable = ids.filter((id) => !isHeldOpen(id));
  const isAllFolded = foldable.every(isFolded);
  const go = (id: SectionId) => {
    if (id === 'prices') setParams({ tab: 'operation', section: 'prices' });
    else {
      if (isFolded(id)) onFold([id], false);
      document.getElementById(anchor(id))?.scrollIntoView({ behavior: 'smooth' });
      clicked.current = true;
      setCurrent(id);
    }
  };
  return (
    <Box
      component="nav"
      aria-label={t('settings.sectionList')}
      sx={{ width: 168, flexShrink: 0, position: 'sticky', top: 64, display: { xs: 'none', md: 'block' } }}
    >
      {ids.map((id) => (
        <ButtonBase
          key={id}
          aria-current={current === id ? 'location' : undefined}
          onClick={() => go(id)}
          sx={{
            display: 'flex',
            justifyContent: 'space-between',
            width: '100%',
            alignItems: 'center',
            gap: 1,
            minHeight: 30,
            padding: '4px 10px',
            lineHeight: '18px',
            textAlign: 'left',
            borderRadius: '6px',
            fontFamily: 'inherit',
            fontSize: 13,
            color: current === id ? 'text.primary' : 'text.secondary',
            fontWeight: current === id ? 550 : 400,
            backgroundColor: current === id ? 'action.hover' : undefined,
            '&:hover': { color: 'text.primary' },
          }}
        >
          {t(`settings.sections.${id}`)}
          {changed.includes(id) && (
            <Box
              component="span"
              role="img"
              aria-label={t('settings.unsaved')}
              sx={{ width: 6, height: 6, borderRadius: '50%', backgroundColor: 'primary.main' }}
            />
          )}
        </ButtonBase>
      ))}
      <Button onClick={() => onFold(foldable, !isAllFolded)} sx={{ mt: 1, padding: '4px 10px' }}>
        {t(isAllFolded ? 'settings.unfoldAll' : 'settings.foldAll')}
      </Button>
    </Box>
  );
}
