import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import ChevronLeftOutlinedIcon from '@mui/icons-material/ChevronLeftOutlined';
import ChevronRightOutlinedIcon from '@mui/icons-material/ChevronRightOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { integer } from '../../lib/format.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { pageSizes } from '../../lib/gridState.js';
import type { ServerGrid } from '../../lib/useServerGrid.js';
import { ColumnSettings } from './ColumnSettings.js';
import type { ColumnChoice } from './useColumnChoice.js';
import { InlineNumber } from './InlineNumber.js';
import { SelectBox } from './SelectBox.js';

const sizeChoices = pageSizes.map((size) => ({ value: String(size), label: String(size) }));

/** The footer: "Items 1 - 20 of 14,208", rows per page, and the pages. On wide screens a page number can be typed. */
export const GridFooter = memo(function GridFooter({
  grid,
  totalCount,
  totalCapped,
  rowCount,
  columnChoice,
}: {
  readonly grid: ServerGrid<Record<string, string>>;
  readonly totalCount: number;
  /** Whether there are more rows than `totalCount`. */
  readonly totalCapped: boolean;
  /** Rows of this page; undefined before the first response. */
  readonly rowCount: number | undefined;
  /** The choice of columns. Without it, wide screens have no Columns button. */
  readonly columnChoice?: ColumnChoice | undefined;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const known = rowCount !== undefined;
  const pages = Math.max(1, Math.ceil(totalCount / grid.pageSize));
  const first = totalCount === 0 ? 0 : grid.page * grid.pageSize + 1;
  const fullPage = (grid.page + 1) * grid.pageSize;
  const last = totalCapped ? fullPage - grid.pageSize + (rowCount ?? grid.pageSize) : Math.min(totalCount, fullPage);
  const more = totalCapped ? '+' : '';
  const lastPage = `${integer(Math.max(pages, grid.page + 1))}${more}`;
  const isLastPage = totalCapped ? rowCount !== grid.pageSize : grid.page + 1 >= pages;
  return (
    <Box
      className="num"
      sx={({ vars }) => ({
        display: 'flex',
        alignItems: 'center',
        gap: { xs: '4px', sm: 1 },
        height: 44,
        padding: { xs: '0 6px 0 12px', sm: '0 12px' },
        borderTop: mobile ? 0 : `1px solid ${vars.palette.surface.line}`,
        color: vars.palette.text.secondary,
        fontSize: 13,
        whiteSpace: 'nowrap',
        // Its position depends on the number of rows, so show it together with them.
        visibility: known ? undefined : 'hidden',
      })}
    >
      <Box role="status" sx={{ flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {known && totalCount === 0 && t('grid.noItems')}
        {known &&
          totalCount > 0 &&
          t(mobile ? 'grid.rangeShort' : 'grid.range', {
            first: integer(first),
            last: integer(last),
            total: `${integer(Math.max(totalCount, last))}${more}`,
          })}
      </Box>
      {!mobile && columnChoice && <ColumnSettings choice={columnChoice} />}
      {!mobile && <span id="rows-per-page">{t('grid.rowsPerPage')}</span>}
      <SelectBox
        label={t('grid.rowsPerPage')}
        value={String(grid.pageSize)}
        onChange={(size) => grid.setPageSize(Number(size))}
        choices={sizeChoices}
        width={mobile ? 68 : 80}
      />
      <IconButton
        aria-label={t('grid.previousPage')}
        disabled={grid.page === 0}
        onClick={() => grid.setPage(grid.page - 1)}
      >
        <ChevronLeftOutlinedIcon />
      </IconButton>
      {!mobile && pages > 2 ? (
        <Box
          component="span"
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: '6px',
            '& input': { width: 52, mr: 0, borderColor: 'surface.lineStrong' },
          }}
        >
          <InlineNumber
            label={t('grid.page')}
            value={grid.page + 1}
            minimum={1}
            {...(totalCapped ? {} : { maximum: pages })}
            onSave={async (page) => grid.setPage(page - 1)}
          />
          / {lastPage}
        </Box>
      ) : (
        <Box component="span" sx={{ minWidth: 40, textAlign: 'center' }}>
          {integer(grid.page + 1)} / {lastPage}
        </Box>
      )}
      <IconButton aria-label={t('grid.nextPage')} disabled={isLastPage} onClick={() => grid.setPage(grid.page + 1)}>
        <ChevronRightOutlinedIcon />
      </IconButton>
    </Box>
  );
});
