import type { Rolldown } from 'vite';

/**
 * Which modules travel together. A browser that has to ask for a hundred small files waits longer than for what is in
 * them, so what is needed together is one file: the first one, what forms share, what opens above a page, what the
 * lists behind sign-in share. Everything else keeps the chunk of the screen that asks for it.
 */
export const chunkGroups: NonNullable<Rolldown.CodeSplittingOptions['groups']> = [
  { name: 'first', tags: ['$initial'], priority: 3 },
  { debugName: 'shared', name: (id, context) => groupOf(id, context), priority: 2 },
  // Heavy, and what screens have in common only when somebody edits or reads something long.
  { name: 'rich', test: /[\\/](?:marked|dompurify)[\\/]/, priority: 1 },
  {
    name: 'editors',
    test: /[\\/](?:react-hook-form|useAutocomplete|Autocomplete|components[\\/]form)[\\/]/,
    priority: 1,
  },
];

const heavy = /[\\/](?:marked|dompurify|react-hook-form|useAutocomplete|Autocomplete|components[\\/]form)[\\/]/;

/** So many lists use it: then it comes with the first of them. */
const fewLists = 3;

const isForm = (root: string): boolean => /\/screens\/(?:login|register|reset|setup)\//.test(root);
const isOverlay = (root: string): boolean =>
  /\/(?:components|app\/shell)\/\w+(?:Items|Balloon|Dialog|Stack|Actions)\.tsx$/.test(root);
const isBar = (root: string): boolean => /\/app\/shell\/(?:SideBar|NavigationDrawer|BalanceLink)\.tsx$/.test(root);
const isList = (root: string): boolean => /\/screens\/\w+\/\w+ListScreen\.tsx$/.test(root);

function groupOf(id: string, context: Lookup): string | null {
  const roots = [...rootsOf(id, context)];
  if (roots.some(isBar)) return 'console';
  if (roots.length < 2) return null;
  if (roots.some(isForm)) return 'forms';
  if (heavy.test(id)) return null;
  if (roots.some(isOverlay)) return 'overlays';
  return roots.filter(isList).length >= fewLists ? 'console' : null;
}

type Lookup = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

/** The modules with a chunk of their own that cannot do without this one. */
function rootsOf(id: string, context: Lookup): ReadonlySet<string> {
  const seen = new Set([id]);
  const roots = new Set<string>();
  for (const one of seen) {
    const info = context.getModuleInfo(one);
    if (!info) continue;
    if (info.dynamicImporters.length > 0) roots.add(one);
    for (const importer of info.importers) seen.add(importer);
  }
  return roots;
}
