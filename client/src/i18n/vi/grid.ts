import { viVN } from '@mui/x-data-grid/locales';

/** The texts of the data grid. */
export const grid = viVN.components.MuiDataGrid.defaultProps.localeText;
