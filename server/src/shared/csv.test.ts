import { csvLine } from './csv.js';

it.each<[Parameters<typeof csvLine>[0], string]>([
  [['a', 1, true, null], 'a,1,true,\r\n'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx\r\n"],
  [['＝1+1', '＋1', '－1', '＠x'], "'＝1+1,'＋1,'－1,'＠x\r\n"],
  [['=HYPERLINK("x","y")'], '"\'=HYPERLINK(""x"",""y"")"\r\n'],
  [['-0.000000400', '-0.5+A1', '-0.5\n'], `-0.000000400,'-0.5+A1,"'-0.5\n"\r\n`],
  [[-5, 'a=b'], '-5,a=b\r\n'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
