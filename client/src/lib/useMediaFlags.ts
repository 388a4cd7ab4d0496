import useMediaQuery from '@mui/material/useMediaQuery';

const narrow = '(max-width:599.95px)';

/** Under 600 px: cards instead of grids, sheets instead of drawers. */
export const useIsMobile = (): boolean => useMediaQuery(narrow, { noSsr: true });

/** Current value of `useIsMobile`, for decisions that are made once. */
export const isMobile = (): boolean => matchMedia(narrow).matches;

/** Whether the window is narrower than 1024 px: columns that are side by side on a desktop are then stacked. */
export const isOneColumn = (): boolean => matchMedia('(max-width:1023.95px)').matches;

/** 600 to 1023 px: the side bar is always collapsed. */
export const useIsTablet = (): boolean => useMediaQuery('(min-width:600px) and (max-width:1023.95px)', { noSsr: true });
