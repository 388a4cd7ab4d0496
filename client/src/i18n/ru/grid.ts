import { ruRU } from '@mui/x-data-grid/locales';

/** The texts of the data grid. */
export const grid = ruRU.components.MuiDataGrid.defaultProps.localeText;
