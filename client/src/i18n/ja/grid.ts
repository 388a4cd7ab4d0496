import { jaJP } from '@mui/x-data-grid/locales';

/** The texts of the data grid. */
export const grid = jaJP.components.MuiDataGrid.defaultProps.localeText;
